package dev.kagzi.engine.domain;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A step that another one's outcome makes pointless: the loser of a race, or the sibling of a step
 * that has failed. The engine numbers its last attempt itself.
 */
public record CancelledStep(
    String stepKey, int seq, StepKind kind, @Nullable Instant startedAt, StepTraits traits) {}
