package dev.kagzi.sdk.internal;

import dev.kagzi.sdk.ErrorKind;
import dev.kagzi.v1.ErrorDetail;
import dev.kagzi.v1.Limits;

/**
 * How many steps one run may have, because each pass over the workflow reads all of them.
 *
 * @param warn from how many on the log says so
 * @param most how many there are at most
 */
record StepLimits(int warn, int most) {

  /** What applies where the server does not say it. */
  static final StepLimits DEFAULT = new StepLimits(10_000, 50_000);

  static StepLimits of(Limits limits) {
    return new StepLimits(
        limits.getWarnSteps() > 0 ? limits.getWarnSteps() : DEFAULT.warn,
        limits.getMaxSteps() > 0 ? limits.getMaxSteps() : DEFAULT.most);
  }

  /** What is wrong with a run that asks for one step more. */
  ErrorDetail exceededBy(String runId) {
    return ErrorDetail.newBuilder()
        .setKind(ErrorKinds.toWire(ErrorKind.LIMIT_EXCEEDED))
        .setType(ErrorKind.LIMIT_EXCEEDED.text())
        .setMessage(
            "run %s asks for more than %d steps (expected: it continues as a new run before, with ctx.continueAs)"
                .formatted(runId, most))
        .setNonRetryable(true)
        .build();
  }
}
