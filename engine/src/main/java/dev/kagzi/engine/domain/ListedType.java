package dev.kagzi.engine.domain;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A workflow type as people see it.
 *
 * @param defaultVersion what new runs are pinned to; empty also if nobody has registered the type
 * @param homeQueue where runs go that name no queue
 */
public record ListedType(
    String workflowType, String defaultVersion, String homeQueue, List<Version> versions) {

  /**
   * One version of the type.
   *
   * @param liveRuns how many there are, as far as they were counted
   * @param firstRegisteredAt null if no worker is known that registered it
   */
  public record Version(
      String version,
      int workersOnline,
      long liveRuns,
      @Nullable Instant firstRegisteredAt,
      @Nullable Instant lastRegisteredAt) {}

  public ListedType {
    versions = List.copyOf(versions);
  }
}
