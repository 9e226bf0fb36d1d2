package dev.kagzi.engine.domain;

import dev.kagzi.core.Payload;
import org.jspecify.annotations.Nullable;

/**
 * What a caller asks for when it makes a new run from an old one.
 *
 * @param origin the old run, live or ended
 * @param requestId the new run's id, if the caller minted it
 * @param fromStep the first step to execute again; null for a start from the beginning
 * @param changes what the new run has of its own
 */
public record ForkRequest(
    String namespace,
    RunId origin,
    @Nullable RunId requestId,
    @Nullable String fromStep,
    Changes changes) {

  /** Where the new run differs from the old one; null means as the old one, or no external id. */
  public record Changes(
      @Nullable String externalId,
      @Nullable String taskQueue,
      @Nullable String version,
      @Nullable Payload input) {

    public static final Changes NONE = new Changes(null, null, null, null);
  }
}
