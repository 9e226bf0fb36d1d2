package dev.kagzi.engine.domain;

import org.jspecify.annotations.Nullable;

/**
 * What a reader of a run wants to know about a step besides its outcome.
 *
 * @param parallelGroup the group of branches it belongs to
 * @param parentStep the step that it is a part of
 * @param quiet of little interest
 * @param compensation undoes the work of a saga
 */
public record StepTraits(
    @Nullable String parallelGroup,
    @Nullable String parentStep,
    boolean quiet,
    boolean compensation) {

  /** Nothing special. */
  public static final StepTraits NONE = new StepTraits(null, null, false, false);
}
