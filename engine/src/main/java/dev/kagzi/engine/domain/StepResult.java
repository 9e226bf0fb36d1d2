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
    @Nullable Instant startedAt) {}
