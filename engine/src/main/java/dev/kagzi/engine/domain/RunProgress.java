package dev.kagzi.engine.domain;

import org.jspecify.annotations.Nullable;

/**
 * How far a run has come.
 *
 * @param settledSteps how many steps a replay would find settled, of every kind
 * @param currentStep the step that runs or waits now: of several that run, the one announced last,
 *     and of several waits, if none runs, the one begun last
 */
public record RunProgress(int settledSteps, @Nullable String currentStep) {}
