package dev.kagzi.server.fuzz;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Message;
import dev.kagzi.server.grpc.BadInputs;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Changes a request in one or a few of its fields, also of the messages inside it. */
final class Mutations {

  private static final int MANY = 200;
  private static final int VERY_MANY = 20_000;
  private static final int DEEP = 60;
  private static final int LONG_TEXT = 300_000;

  private final Random random;

  /** Texts that other requests have used: ids of other namespaces, of runs that are gone. */
  private final List<String> seen;

  Mutations(Random random, List<String> seen) {
    this.random = random;
    this.seen = seen;
  }

  Message of(Message good) {
    Message mutated = good;
    int times = 1 + random.nextInt(3);
    for (int i = 0; i < times; i++) {
      mutated = change(mutated, 0);
    }
    return mutated;
  }

  private Message change(Message message, int depth) {
    List<FieldDescriptor> fields = message.getDescriptorForType().getFields();
    if (fields.isEmpty()) {
      return message;
    }
    FieldDescriptor field = fields.get(random.nextInt(fields.size()));
    if (random.nextInt(6) == 0) {
      return message.toBuilder().clearField(field).build();
    }
    if (field.isRepeated()) {
      return changeList(message, field, depth);
    }
    if (field.getJavaType() == JavaType.MESSAGE) {
      return changeMessage(message, field, depth);
    }
    return message.toBuilder().setField(field, value(field)).build();
  }

  private Message changeMessage(Message message, FieldDescriptor field, int depth) {
    Message inner = (Message) message.getField(field);
    List<? extends Message> wholes = BadInputs.wholes(inner.getDescriptorForType());
    Message changed;
    if (!wholes.isEmpty()) {
      changed = wholes.get(random.nextInt(wholes.size()));
    } else if (depth == 0 && random.nextInt(20) == 0) {
      changed = nested(inner);
    } else {
      changed = depth < DEEP ? change(inner, depth + 1) : inner;
    }
    return message.toBuilder().setField(field, changed).build();
  }

  /** A message that holds one of its own kind, which holds another, and so on. */
  private static Message nested(Message leaf) {
    for (FieldDescriptor field : leaf.getDescriptorForType().getFields()) {
      if (field.getJavaType() == JavaType.MESSAGE
          && !field.isRepeated()
          && field.getMessageType().equals(leaf.getDescriptorForType())) {
        Message chain = leaf;
        for (int i = 0; i < DEEP; i++) {
          chain = leaf.toBuilder().setField(field, chain).build();
        }
        return chain;
      }
    }
    return leaf;
  }

  private Message changeList(Message message, FieldDescriptor field, int depth) {
    List<Object> elements = new ArrayList<>();
    ((List<?>) message.getField(field)).forEach(elements::add);
    switch (random.nextInt(4)) {
      case 0 -> elements.clear();
      case 1 -> elements.add(element(message, field, depth));
      case 2 -> {
        if (elements.isEmpty()) {
          elements.add(element(message, field, depth));
        } else {
          elements.set(random.nextInt(elements.size()), element(message, field, depth));
        }
      }
      default -> {
        Object one = element(message, field, depth);
        int most = random.nextInt(40) == 0 && size(one) < 100 ? VERY_MANY : MANY;
        if (size(one) < 1000) {
          elements.addAll(Collections.nCopies(1 + random.nextInt(most), one));
        }
      }
    }
    return message.toBuilder().setField(field, elements).build();
  }

  private static int size(Object value) {
    return value instanceof Message message
        ? message.getSerializedSize()
        : value.toString().length();
  }

  private Object element(Message message, FieldDescriptor field, int depth) {
    if (field.getJavaType() != JavaType.MESSAGE) {
      return value(field);
    }
    int count = message.getRepeatedFieldCount(field);
    Message one =
        count > 0
            ? (Message) message.getRepeatedField(field, random.nextInt(count))
            : message.newBuilderForType().newBuilderForField(field).build();
    return depth < DEEP ? change(one, depth + 1) : one;
  }

  private Object value(FieldDescriptor field) {
    return switch (field.getJavaType()) {
      case STRING -> text(field);
      case BYTE_STRING -> bytes();
      case INT -> random.nextBoolean() ? pick(field) : random.nextInt();
      case LONG -> random.nextBoolean() ? pick(field) : random.nextLong();
      case DOUBLE -> random.nextBoolean() ? pick(field) : random.nextGaussian() * 1e9;
      default -> pick(field);
    };
  }

  private Object pick(FieldDescriptor field) {
    List<?> values = BadInputs.values(field);
    return values.get(random.nextInt(values.size()));
  }

  private ByteString bytes() {
    byte[] bytes = new byte[random.nextInt(200)];
    random.nextBytes(bytes);
    return ByteString.copyFrom(bytes);
  }

  private Object text(FieldDescriptor field) {
    return switch (random.nextInt(8)) {
      case 0 -> oddText();
      case 1, 2 -> seen.isEmpty() ? "" : seen.get(random.nextInt(seen.size()));
      case 3 -> random.nextInt(30) == 0 ? "x".repeat(LONG_TEXT) : "x".repeat(random.nextInt(600));
      default -> pickShort(field);
    };
  }

  /** Megabytes are tried as well, but not with every other request. */
  private Object pickShort(FieldDescriptor field) {
    Object value = pick(field);
    return value.toString().length() > 10_000 && random.nextInt(50) != 0 ? "y" : value;
  }

  private String oddText() {
    StringBuilder text = new StringBuilder();
    int length = random.nextInt(40);
    for (int i = 0; i < length; i++) {
      int kind = random.nextInt(10);
      if (kind == 0) {
        text.append((char) random.nextInt(32));
      } else if (kind == 1) {
        text.appendCodePoint(0x10000 + random.nextInt(0x10000));
      } else if (kind == 2) {
        text.append("\"'\\;%_[]{}#:$".charAt(random.nextInt(13)));
      } else if (kind == 3) {
        text.append("\u202e\ufeff\u0000\u00ad\ufffe\u0130".charAt(random.nextInt(6)));
      } else {
        text.append((char) ('a' + random.nextInt(26)));
      }
    }
    return text.toString();
  }
}
