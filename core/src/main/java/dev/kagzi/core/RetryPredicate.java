package dev.kagzi.core;

/** Which errors a policy retries at all. */
public enum RetryPredicate {
  /** Every error that nothing else rules out. */
  ON_ANY_ERROR,
  /** Errors of a {@linkplain ErrorKind#isRetryable retryable} kind. */
  ON_RETRYABLE_ERROR,
  /** None. */
  NEVER,
  /** Errors of the kinds that the policy lists. */
  ON_ERROR_KIND
}
