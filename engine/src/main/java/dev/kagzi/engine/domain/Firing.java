package dev.kagzi.engine.domain;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A tick that was handled.
 *
 * @param runId the run it started; null if it was skipped
 * @param manual whether a person asked for it
 */
public record Firing(Tick tick, @Nullable RunId runId, boolean manual, Instant recordedAt) {}
