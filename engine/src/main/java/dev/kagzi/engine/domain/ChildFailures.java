package dev.kagzi.engine.domain;

import dev.kagzi.core.ErrorKind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How the end of a child without a result looks to its parent. */
public final class ChildFailures {

  private ChildFailures() {}

  /**
   * The parent sees the child's own kind and type, so that it can decide by them; the message says
   * which run to look at, and the stack trace stays there.
   */
  public static @Nullable Failure of(
      RunId child, RunStatus status, @Nullable Failure error, @Nullable String reason) {
    return switch (status) {
      case COMPLETED -> null;
      case CANCELLED -> plain(ErrorKind.CANCELLED, child, "was cancelled", text(error, reason));
      case TIMED_OUT -> plain(ErrorKind.TIMEOUT, child, "timed out", text(error, reason));
      default ->
          error == null
              ? plain(ErrorKind.CHILD_FAILED, child, "failed", text(null, reason))
              : new Failure(
                  error.kind(),
                  error.type(),
                  error.typeHierarchy(),
                  "child run %s failed: %s".formatted(child, error.message()),
                  "",
                  null);
    };
  }

  /** A wait for a child that nobody has asked for. */
  public static Failure neverStarted() {
    return new Failure(
        ErrorKind.BAD_REQUEST,
        ErrorKind.BAD_REQUEST.text(),
        List.of(),
        "the step waits for a child and has started none (expected: StartChild before Suspend)",
        "",
        null);
  }

  private static Failure plain(ErrorKind kind, RunId child, String what, String why) {
    String message = "child run %s %s%s".formatted(child, what, why.isEmpty() ? "" : ": " + why);
    return new Failure(kind, kind.text(), List.of(), message, "", null);
  }

  private static String text(@Nullable Failure error, @Nullable String reason) {
    if (reason != null && !reason.isEmpty()) {
      return reason;
    }
    return error == null ? "" : error.message();
  }
}
