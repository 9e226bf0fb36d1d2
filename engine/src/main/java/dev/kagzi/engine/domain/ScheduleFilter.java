package dev.kagzi.engine.domain;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which schedules a list shows; null is no condition. */
public record ScheduleFilter(
    String namespace,
    Set<RunStatus> statuses,
    @Nullable String workflowType,
    @Nullable String taskQueue) {

  /** The statuses in the same order everywhere: page tokens of one server are read by others. */
  public ScheduleFilter {
    statuses = Collections.unmodifiableSet(EnumSet.copyOf(statuses));
  }
}
