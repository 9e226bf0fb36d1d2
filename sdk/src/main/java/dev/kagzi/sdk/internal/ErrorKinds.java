package dev.kagzi.sdk.internal;

import dev.kagzi.sdk.ErrorKind;

/** Error kinds between users and the wire, where they have the same names with a prefix. */
final class ErrorKinds {

  private static final String PREFIX = "ERROR_KIND_";

  private ErrorKinds() {}

  static dev.kagzi.v1.ErrorKind toWire(ErrorKind kind) {
    return dev.kagzi.v1.ErrorKind.valueOf(PREFIX + kind.name());
  }

  /** What a newer server calls by a name that is not known here is unknown. */
  static ErrorKind fromWire(dev.kagzi.v1.ErrorKind kind) {
    return switch (kind) {
      case ERROR_KIND_UNSPECIFIED, UNRECOGNIZED -> ErrorKind.UNKNOWN;
      default -> ErrorKind.valueOf(kind.name().substring(PREFIX.length()));
    };
  }
}
