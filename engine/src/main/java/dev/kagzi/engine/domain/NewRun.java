package dev.kagzi.engine.domain;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A run about to be written: the request with everything the engine decides about it. */
public record NewRun(
    RunId runId,
    StartRequest request,
    Instant createdAt,
    Instant availableAt,
    @Nullable Instant deadlineAt) {}
