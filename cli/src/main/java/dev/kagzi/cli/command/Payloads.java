package dev.kagzi.cli.command;

import dev.kagzi.v1.ErrorDetail;
import dev.kagzi.v1.Payload;

/** What belongs to the user, as it is shown: values and errors. Stateless. */
public final class Payloads {
  private Payloads() {}

  /** JSON as it is stored; of other forms only what they are. */
  public static String text(Payload payload) {
    return switch (payload.getValueCase()) {
      case JSON -> payload.getJson();
      case DATA -> payload.getData().isEmpty() ? "" : described(payload);
      case VALUE_NOT_SET -> "";
    };
  }

  private static String described(Payload payload) {
    return "(%d bytes of %s)"
        .formatted(
            payload.getData().size(),
            payload.getMetadataOrDefault("content-type", "an unknown type"));
  }

  /** {@code CardDeclined: insufficient funds}. */
  public static String line(ErrorDetail error) {
    var type = error.getType().replaceFirst(".*[.$]", "");
    return type.isEmpty() ? error.getMessage() : type + ": " + error.getMessage();
  }
}
