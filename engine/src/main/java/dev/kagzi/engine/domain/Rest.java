package dev.kagzi.engine.domain;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Whether anything moves in a database.
 *
 * @param busy a run is executed or could be, or something is due
 * @param nextDue when the next thing falls due that is not due yet; null if nothing does
 */
public record Rest(boolean busy, @Nullable Instant nextDue) {}
