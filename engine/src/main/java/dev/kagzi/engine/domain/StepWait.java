package dev.kagzi.engine.domain;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a step waits or waited for.
 *
 * @param open the wait has begun and not ended
 * @param timeoutAt when it is given up
 * @param timedOut it was given up
 */
public record StepWait(
    boolean open,
    @Nullable Instant timeoutAt,
    boolean timedOut,
    @Nullable String eventName,
    @Nullable RunId child) {}
