package dev.kagzi.engine.domain;

import org.jspecify.annotations.Nullable;

/**
 * An answer to a worker, with what else it has to hear about the run.
 *
 * @param stop set when the run has been asked to undo its work and end
 */
public record Heard<R>(R outcome, @Nullable StopRequest stop) {}
