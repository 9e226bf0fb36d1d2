package dev.kagzi.engine.domain;

import dev.kagzi.core.Payload;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a reader of a run wants to know about a step besides its outcome.
 *
 * @param parallelGroup the group of branches it belongs to
 * @param parentStep the step that it is a part of
 * @param quiet of little interest
 * @param compensation undoes the work of a saga
 * @param input what it was called with, if its worker said it
 */
public record StepTraits(
    @Nullable String parallelGroup,
    @Nullable String parentStep,
    boolean quiet,
    boolean compensation,
    @Nullable Payload input) {

  /** Those of a step whose worker does not say what it was called with. */
  public StepTraits(
      @Nullable String parallelGroup,
      @Nullable String parentStep,
      boolean quiet,
      boolean compensation) {
    this(parallelGroup, parentStep, quiet, compensation, null);
  }

  /** Nothing special. */
  public static final StepTraits NONE = new StepTraits(null, null, false, false);

  public byte @Nullable [] inputData() {
    return input == null ? null : input.data();
  }

  public Map<String, String> inputMetadata() {
    return input == null ? Map.of() : input.metadata();
  }
}
