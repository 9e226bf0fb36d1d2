package dev.kagzi.engine.domain;

import org.jspecify.annotations.Nullable;

/**
 * What a late writer must know about a run that has ended.
 *
 * @param continuedAs the run that goes on where it ended
 */
public record EndedRun(
    RunId runId, String namespace, RunStatus status, int epoch, @Nullable RunId continuedAs) {}
