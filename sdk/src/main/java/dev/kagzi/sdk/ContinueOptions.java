package dev.kagzi.sdk;

import dev.kagzi.core.Names;
import org.jspecify.annotations.Nullable;

/**
 * In what the successor of a run differs from it. Immutable and thread-safe.
 *
 * @param version the version of the workflow; {@code null} for the same
 * @param queue the task queue; {@code null} for the same
 */
public record ContinueOptions(@Nullable String version, @Nullable String queue) {

  /** In nothing. */
  public static final ContinueOptions SAME = new ContinueOptions(null, null);

  /** The same with another version of the workflow; empty for the unversioned code. */
  public ContinueOptions withVersion(String version) {
    return new ContinueOptions(version, queue);
  }

  /** The same with another task queue. */
  public ContinueOptions withQueue(String queue) {
    return new ContinueOptions(version, Names.check("queue", queue));
  }
}
