package dev.kagzi.sdk;

import java.util.List;

/**
 * The versions of a workflow type, as a server sees them. Immutable and thread-safe.
 *
 * @param type the name of the workflow type
 * @param defaultVersion what new runs get that ask for no version; empty is the unversioned code
 * @param homeQueue the queue of runs that name none; empty if no worker has registered the type
 * @param versions those that a worker has registered or that live runs are pinned to
 */
public record TypeVersions(
    String type, String defaultVersion, String homeQueue, List<Version> versions) {

  /**
   * One version.
   *
   * @param version its name; empty is the unversioned code
   * @param workersOnline how many workers serve it now
   * @param liveRuns how many runs of it have not ended; when there are none and it is not the
   *     default, its code can go
   */
  public record Version(String version, int workersOnline, long liveRuns) {}

  public TypeVersions {
    versions = List.copyOf(versions);
  }
}
