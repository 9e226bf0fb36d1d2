package dev.kagzi.server.grpc;

import com.google.protobuf.MessageLite;

/**
 * How much room a refusal takes in the headers that end a call. By default, clients accept 8 KiB of
 * them in all, and take more for a broken connection. The words of a refusal travel twice: as they
 * are, with everything unusual percent-encoded, and once more beside the details, as base64.
 */
final class TrailerSpace {

  /** For all faults of a request, in words and as details. */
  static final int OF_FAULTS = 6400;

  /** For what a refusal says. */
  static final int OF_MESSAGE = 4500;

  /** For one text among others: what is wrong with a field, or a fact. */
  static final int OF_TEXT = 1500;

  /** For the words that tell how long a text was. */
  private static final int OF_ENDING = 150;

  private static final int OF_FRAME = 4;

  private TrailerSpace() {}

  /** The room that words take. */
  static int taken(String words) {
    int space = 0;
    for (int i = 0; i < words.length(); i = next(words, i)) {
      space += thirds(words.codePointAt(i));
    }
    return Math.ceilDiv(space, 3);
  }

  /** The room that a detail takes, its frame included. */
  static int taken(MessageLite detail) {
    return Math.ceilDiv(4 * (detail.getSerializedSize() + OF_FRAME), 3);
  }

  /** The words if there is room for them, or else as many of them as there is room for. */
  static String abridged(String words, int space) {
    if (taken(words) <= space) {
      return words;
    }
    int left = 3 * (space - OF_ENDING);
    int end = 0;
    while (left >= 0) {
      left -= thirds(words.codePointAt(end));
      end = next(words, end);
    }
    return "%s... (%d characters)".formatted(words.substring(0, end), words.length());
  }

  private static int next(String words, int at) {
    return at + Character.charCount(words.codePointAt(at));
  }

  /** Three times the room of a character, because base64 makes four bytes of three. */
  private static int thirds(int character) {
    int bytes = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    boolean usual = character >= ' ' && character < '~' && character != '%';
    return (usual ? 3 : 9 * bytes) + 4 * bytes;
  }
}
