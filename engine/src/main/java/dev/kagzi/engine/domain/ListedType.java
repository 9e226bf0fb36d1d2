package dev.kagzi.engine.domain;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A workflow type as people see it.
 *
 * @param defaultVersion what new runs are pinned to; empty also if nobody has registered the type
 * @param homeQueue where runs go that name no queue
 * @param recent what became of its runs lately
 */
public record ListedType(
    String workflowType,
    String defaultVersion,
    String homeQueue,
    List<Version> versions,
    Recent recent) {

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

  /**
   * What became of its runs in the last hour, as far as they were looked at.
   *
   * @param p95 what 95 of 100 runs that ended took at most; null if none did
   * @param lastFailureAt the latest failure that was seen, perhaps an older one
   */
  public record Recent(
      long started,
      long completed,
      long failed,
      @Nullable Duration p95,
      @Nullable Instant lastFailureAt) {

    /** Nothing was seen. */
    public static final Recent NONE = new Recent(0, 0, 0, null, null);
  }

  /** The same with what became of its runs. */
  public ListedType with(Recent seen) {
    return new ListedType(workflowType, defaultVersion, homeQueue, versions, seen);
  }

  public ListedType {
    versions = List.copyOf(versions);
  }
}
