package dev.kagzi.server.fuzz;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.UnknownFieldSet.Field;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Changes the bytes of a request, so that no builder could have made them. */
final class WireFaults {

  private static final byte[] NO_UTF8 = {(byte) 0xC3, (byte) 0x28};

  /** What a lone half of a pair becomes when somebody writes it without looking. */
  private static final byte[] LONE_SURROGATE = {(byte) 0xED, (byte) 0xA0, (byte) 0x80};

  private static final int DEEP = 150;

  private final Random random;

  WireFaults(Random random) {
    this.random = random;
  }

  byte[] of(Message request) {
    byte[] bytes = request.toByteArray();
    return switch (random.nextInt(9)) {
      case 0 -> flipped(bytes);
      case 1 -> Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
      case 2 -> noise();
      case 3 -> joined(bytes, wrongType(request.getDescriptorForType()));
      case 4 -> joined(bytes, text(request.getDescriptorForType(), NO_UTF8));
      case 5 -> joined(bytes, text(request.getDescriptorForType(), LONE_SURROGATE));
      case 6 -> joined(bytes, unknown());
      case 7 -> joined(bytes, nested(request.getDescriptorForType()));
      default -> joined(bytes, bytes);
    };
  }

  private byte[] flipped(byte[] bytes) {
    byte[] copy = bytes.clone();
    int flips = copy.length == 0 ? 0 : 1 + random.nextInt(3);
    for (int i = 0; i < flips; i++) {
      copy[random.nextInt(copy.length)] ^= (byte) (1 << random.nextInt(8));
    }
    return copy;
  }

  private byte[] noise() {
    byte[] bytes = new byte[random.nextInt(64)];
    random.nextBytes(bytes);
    return bytes;
  }

  private static byte[] joined(byte[] one, byte[] other) {
    byte[] both = Arrays.copyOf(one, one.length + other.length);
    System.arraycopy(other, 0, both, one.length, other.length);
    return both;
  }

  private FieldDescriptor any(Descriptor type) {
    List<FieldDescriptor> fields = type.getFields();
    return fields.get(random.nextInt(fields.size()));
  }

  private byte[] wrongType(Descriptor type) {
    if (type.getFields().isEmpty()) {
      return unknown();
    }
    Field value =
        switch (random.nextInt(4)) {
          case 0 -> Field.newBuilder().addVarint(random.nextLong()).build();
          case 1 -> Field.newBuilder().addFixed32(random.nextInt()).build();
          case 2 -> Field.newBuilder().addFixed64(random.nextLong()).build();
          default -> Field.newBuilder().addLengthDelimited(ByteString.copyFrom(noise())).build();
        };
    return field(any(type).getNumber(), value);
  }

  private byte[] text(Descriptor type, byte[] bytes) {
    if (type.getFields().isEmpty()) {
      return unknown();
    }
    Field value = Field.newBuilder().addLengthDelimited(ByteString.copyFrom(bytes)).build();
    return field(any(type).getNumber(), value);
  }

  private byte[] unknown() {
    Field value = Field.newBuilder().addVarint(random.nextLong()).build();
    return field(1000 + random.nextInt(1000), value);
  }

  /** Length-delimited within length-delimited, deeper than any reader should go. */
  private byte[] nested(Descriptor type) {
    int number = type.getFields().isEmpty() ? 1 : any(type).getNumber();
    byte[] inner = new byte[0];
    for (int i = 0; i < DEEP; i++) {
      inner =
          field(number, Field.newBuilder().addLengthDelimited(ByteString.copyFrom(inner)).build());
    }
    return inner;
  }

  private static byte[] field(int number, Field value) {
    return UnknownFieldSet.newBuilder().addField(number, value).build().toByteArray();
  }
}
