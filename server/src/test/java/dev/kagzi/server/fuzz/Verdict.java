package dev.kagzi.server.fuzz;

import io.grpc.Status;
import io.grpc.Status.Code;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** Which answers are proper. */
final class Verdict {

  private static final Set<Code> CODES =
      EnumSet.of(
          Code.OK,
          Code.INVALID_ARGUMENT,
          Code.NOT_FOUND,
          Code.ALREADY_EXISTS,
          Code.FAILED_PRECONDITION,
          Code.ABORTED,
          Code.OUT_OF_RANGE,
          Code.PERMISSION_DENIED,
          Code.UNAUTHENTICATED,
          Code.RESOURCE_EXHAUSTED,
          Code.DEADLINE_EXCEEDED,
          Code.CANCELLED);

  /** What HTTP has for these, and for requests that are none. */
  private static final Set<Integer> STATUSES =
      Set.of(
          0, 100, 200, 400, 401, 403, 404, 405, 408, 409, 411, 413, 414, 415, 417, 429, 431, 501,
          504, 505);

  private Verdict() {}

  /** What is wrong with an answer, if anything is. */
  static Optional<String> on(Status status) {
    return on(status.getCode(), String.valueOf(status.getDescription()));
  }

  static Optional<String> on(Code code, String message) {
    return CODES.contains(code) ? Optional.empty() : Optional.of(code + ": " + message);
  }

  static Optional<String> onHttp(int status, String body) {
    return STATUSES.contains(status)
        ? Optional.empty()
        : Optional.of("HTTP " + status + ": " + body);
  }
}
