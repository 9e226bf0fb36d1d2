package dev.kagzi.server.grpc;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Duration;
import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;

/** A request with one fault after the other in every field, also of the messages inside it. */
public final class BadInputs {

  /** Of errors within errors this many are enough. */
  private static final int MAX_DEPTH = 2;

  private static final int TOO_MANY = 20_000;
  private static final int TOO_LARGE = 2 * 1024 * 1024 + 1;
  private static final int UNKNOWN_ENUM = 9999;

  private static final List<String> TEXTS =
      List.of("", "x".repeat(256), "x".repeat(100_000), "nul\0", "a[1]#2");

  /** In the request itself, where names, ids and tokens stand. */
  private static final List<String> MORE_TEXTS =
      List.of(
          " ",
          "ü".repeat(255),
          "somewhere-else",
          "019a0000-0000-7000-8000-00000000000z",
          "019a0000-0000-7000-8000-000000000001",
          "-5:x");

  private static final List<Duration> DURATIONS =
      List.of(
          Duration.getDefaultInstance(),
          duration(Long.MIN_VALUE, 0),
          duration(Long.MAX_VALUE, 0),
          duration(315_576_000_001L, 0),
          duration(-1, 0),
          duration(1, -1),
          duration(0, Integer.MAX_VALUE),
          duration(Long.MIN_VALUE, Integer.MIN_VALUE));

  private static final List<Timestamp> TIMESTAMPS =
      List.of(
          Timestamp.getDefaultInstance(),
          timestamp(Long.MIN_VALUE, 0),
          timestamp(Long.MAX_VALUE, Integer.MAX_VALUE),
          timestamp(-62_135_596_801L, 0),
          timestamp(253_402_300_800L, 0),
          timestamp(0, -1),
          timestamp(0, 1_000_000_000));

  private static final ByteString LARGE_BYTES = ByteString.copyFrom(new byte[TOO_LARGE]);
  private static final String LARGE_TEXT = "1".repeat(TOO_LARGE);

  /** A request and what is wrong with it. */
  record Bad(String what, Message request) {}

  private BadInputs() {}

  private static Duration duration(long seconds, int nanos) {
    return Duration.newBuilder().setSeconds(seconds).setNanos(nanos).build();
  }

  private static Timestamp timestamp(long seconds, int nanos) {
    return Timestamp.newBuilder().setSeconds(seconds).setNanos(nanos).build();
  }

  /** All variants of a request that is good as it is. */
  static List<Bad> of(Message good) {
    List<Bad> all = new ArrayList<>();
    all.add(new Bad("nothing in it", good.getDefaultInstanceForType()));
    vary(good, "", 0, bad -> all.add(bad));
    return all;
  }

  private static void vary(Message good, String path, int depth, Consumer<Bad> sink) {
    for (FieldDescriptor field : good.getDescriptorForType().getFields()) {
      String at = path + field.getName();
      if (depth == 0) {
        sink.accept(new Bad(at + " absent", good.toBuilder().clearField(field).build()));
      }
      if (field.isRepeated()) {
        varyList(good, field, at, depth, sink);
      } else if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
        varyMessage(good, field, at, depth, sink);
      } else {
        for (Object value : values(field)) {
          sink.accept(
              new Bad(
                  at + " = " + abridged(value), good.toBuilder().setField(field, value).build()));
        }
      }
    }
  }

  private static void varyMessage(
      Message good, FieldDescriptor field, String at, int depth, Consumer<Bad> sink) {
    Message inner = (Message) good.getField(field);
    for (Message whole : wholes(inner.getDescriptorForType())) {
      sink.accept(
          new Bad(at + " = " + abridged(whole), good.toBuilder().setField(field, whole).build()));
    }
    sink.accept(
        new Bad(
            at + " empty",
            good.toBuilder().setField(field, inner.getDefaultInstanceForType()).build()));
    if (depth < MAX_DEPTH && wholes(inner.getDescriptorForType()).isEmpty()) {
      vary(
          inner,
          at + ".",
          depth + 1,
          bad ->
              sink.accept(
                  new Bad(bad.what(), good.toBuilder().setField(field, bad.request()).build())));
    }
  }

  private static void varyList(
      Message good, FieldDescriptor field, String at, int depth, Consumer<Bad> sink) {
    List<Object> elements = new ArrayList<>();
    if (field.getJavaType() != FieldDescriptor.JavaType.MESSAGE) {
      elements.addAll(values(field));
    } else {
      Message element = elementOf(good, field);
      elements.add(element);
      if (depth < MAX_DEPTH) {
        vary(element, at + "[].", depth + 1, bad -> elements.add(bad.request()));
      }
    }
    for (Object element : elements) {
      Message.Builder one = good.toBuilder().clearField(field);
      sink.accept(
          new Bad(
              at + " = [" + abridged(element) + "]", one.addRepeatedField(field, element).build()));
    }
    Message.Builder many = good.toBuilder();
    many.setField(field, Collections.nCopies(TOO_MANY, small(good, field)));
    sink.accept(new Bad(at + " with " + TOO_MANY, many.build()));
  }

  private static Message elementOf(Message good, FieldDescriptor field) {
    return good.getRepeatedFieldCount(field) > 0
        ? (Message) good.getRepeatedField(field, 0)
        : good.newBuilderForType().newBuilderForField(field).build();
  }

  private static Object small(Message good, FieldDescriptor field) {
    return switch (field.getJavaType()) {
      case MESSAGE -> elementOf(good, field);
      case STRING -> "x";
      default -> values(field).get(0);
    };
  }

  /** Times are varied as wholes. */
  public static List<? extends Message> wholes(Descriptor type) {
    return switch (type.getFullName()) {
      case "google.protobuf.Duration" -> DURATIONS;
      case "google.protobuf.Timestamp" -> TIMESTAMPS;
      default -> List.of();
    };
  }

  public static List<? extends Object> values(FieldDescriptor field) {
    return switch (field.getJavaType()) {
      case STRING -> texts(field);
      case ENUM -> enums(field.getEnumType());
      case INT -> List.of(Integer.MIN_VALUE, -1, 0, Integer.MAX_VALUE);
      case LONG -> List.of(Long.MIN_VALUE, -1L, 0L, Long.MAX_VALUE);
      case DOUBLE -> List.of(Double.NaN, Double.NEGATIVE_INFINITY, -1.0, 0.0, 1e308);
      case FLOAT -> List.of(Float.NaN, -1f, Float.MAX_VALUE);
      case BOOLEAN -> List.of(true, false);
      case BYTE_STRING -> List.of(ByteString.EMPTY, LARGE_BYTES);
      case MESSAGE -> throw new IllegalArgumentException(field.getFullName());
    };
  }

  private static List<String> texts(FieldDescriptor field) {
    if (field.getFullName().equals("kagzi.v1.Payload.json")) {
      return List.of("", "nul\0", "{not json", LARGE_TEXT);
    }
    if (!field.getContainingType().getName().endsWith("Request")) {
      return TEXTS;
    }
    List<String> all = new ArrayList<>(TEXTS);
    all.addAll(MORE_TEXTS);
    return all;
  }

  private static List<Object> enums(EnumDescriptor type) {
    List<Object> values = new ArrayList<>(type.getValues());
    values.add(type.findValueByNumberCreatingIfUnknown(UNKNOWN_ENUM));
    values.add(type.findValueByNumberCreatingIfUnknown(-1));
    return values;
  }

  private static String abridged(Object value) {
    if (value instanceof Message || value instanceof ByteString) {
      return value instanceof Message message ? message.getSerializedSize() + " bytes" : "bytes";
    }
    String text = value.toString().replace('\n', ' ').replace('\0', '?');
    return text.length() <= 40 ? text : text.substring(0, 40) + "… (" + text.length() + ")";
  }
}
