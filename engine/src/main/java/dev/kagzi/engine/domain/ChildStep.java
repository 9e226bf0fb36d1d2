package dev.kagzi.engine.domain;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A step that starts children, as its worker knows it. */
public record ChildStep(
    String stepKey, int attempt, int seq, @Nullable Instant startedAt, StepTraits traits) {}
