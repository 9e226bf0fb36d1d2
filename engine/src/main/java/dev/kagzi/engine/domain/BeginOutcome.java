package dev.kagzi.engine.domain;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What became of an announcement.
 *
 * @param recorded the settled step, if there is nothing to execute any more
 * @param timeoutAt when the engine ends the attempt if its worker has not
 */
public record BeginOutcome(@Nullable RecordedStep recorded, @Nullable Instant timeoutAt) {}
