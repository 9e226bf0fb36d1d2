package dev.kagzi.engine.domain;

import java.util.UUID;

/**
 * Reads ids from their text form, strictly: {@link UUID#fromString} alone accepts shortened ones.
 */
final class Ids {

  private static final int LENGTH = 36;

  private Ids() {}

  static UUID parse(String field, String text) {
    if (text.length() == LENGTH) {
      try {
        return UUID.fromString(text);
      } catch (IllegalArgumentException malformed) {
        // Falls through to the one message for every malformed id.
      }
    }
    throw new EngineException(
        ErrorCode.INVALID_ARGUMENT, "%s: '%s' (expected a UUID)".formatted(field, abridged(text)));
  }

  private static String abridged(String text) {
    return text.length() <= LENGTH ? text : text.substring(0, LENGTH) + "…";
  }
}
