package dev.kagzi.sdk;

import java.util.Optional;

/**
 * Says what kind of error an exception is. A worker asks its own classifier first and the
 * {@linkplain #standard standard} one about what that leaves open; both are asked about the
 * exception and then about its causes, one after the other, until one answers. Implementations must
 * be thread-safe.
 */
@FunctionalInterface
public interface ErrorClassifier {

  /** The kind of an exception, its causes left aside; empty if it is nothing special. */
  Optional<ErrorKind> classify(Throwable error);

  /** Asks another one about what this one leaves open. */
  default ErrorClassifier orElse(ErrorClassifier next) {
    return error -> classify(error).or(() -> next.classify(error));
  }

  /**
   * What Java's own exceptions tell: broken connections, timeouts, the SQLState of database errors,
   * and the status of exceptions that carry one as HTTP clients' do.
   */
  static ErrorClassifier standard() {
    return StandardErrors::classify;
  }
}
