package dev.kagzi.sdk.internal;

import com.google.protobuf.Timestamp;
import dev.kagzi.sdk.StepView;
import dev.kagzi.v1.Step;
import java.time.Instant;
import java.util.Optional;

/** Steps as users see them. */
final class StepViews {

  private StepViews() {}

  static StepView of(Step wire) {
    return new StepView(
        wire.getStepKey(),
        WireNames.read(wire.getKind(), "STEP_KIND_", StepView.Kind.UNKNOWN),
        WireNames.read(wire.getStatus(), "STEP_STATUS_", StepView.Status.UNKNOWN),
        wire.getAttempt(),
        wire.getFailures(),
        wire.getSettled(),
        moment(wire.hasStartedAt(), wire.getStartedAt()),
        moment(wire.hasFinishedAt(), wire.getFinishedAt()),
        continuesAt(wire),
        text(wire.getChildRunId()),
        text(wire.getError().getType()),
        text(wire.getError().getMessage()));
  }

  /** A step that is settled does not go on, whatever it has waited for. */
  private static Optional<Instant> continuesAt(Step wire) {
    if (wire.getSettled()) {
      return Optional.empty();
    }
    return moment(wire.hasRetryAt(), wire.getRetryAt())
        .or(() -> moment(wire.hasWakeAt(), wire.getWakeAt()));
  }

  private static Optional<Instant> moment(boolean isThere, Timestamp wire) {
    return isThere ? Optional.of(WireTimes.toInstant(wire)) : Optional.empty();
  }

  private static Optional<String> text(String wire) {
    return wire.isEmpty() ? Optional.empty() : Optional.of(wire);
  }
}
