package dev.kagzi.engine.domain;

import dev.kagzi.core.Payload;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A step that ended well, as its worker reports it. */
public record StepResult(
    String stepKey,
    int attempt,
    int seq,
    StepKind kind,
    Payload output,
    @Nullable Instant startedAt,
    StepTraits traits,
    SagaMarker saga) {

  /** A plain step. */
  public StepResult(
      String stepKey,
      int attempt,
      int seq,
      StepKind kind,
      Payload output,
      @Nullable Instant startedAt) {
    this(stepKey, attempt, seq, kind, output, startedAt, StepTraits.NONE, SagaMarker.NONE);
  }
}
