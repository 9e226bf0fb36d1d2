package dev.kagzi.sdk;

import dev.kagzi.core.Names;
import java.util.List;
import java.util.Set;

/**
 * Which workers are meant: {@code WorkerFilter.all().queue("orders").status(Status.ONLINE)}.
 * Immutable and thread-safe.
 *
 * @param queue the task queue they serve; empty for any
 * @param statuses the states they may be in; empty for any
 */
public record WorkerFilter(String queue, Set<WorkerView.Status> statuses) {

  private static final WorkerFilter ALL = new WorkerFilter("", Set.of());

  /**
   * Checks what a server would not understand.
   *
   * @throws IllegalArgumentException if a state is {@link WorkerView.Status#UNKNOWN}
   */
  public WorkerFilter {
    statuses = Set.copyOf(statuses);
    if (statuses.contains(WorkerView.Status.UNKNOWN)) {
      throw new IllegalArgumentException("status: UNKNOWN (expected: ONLINE, DRAINING or OFFLINE)");
    }
  }

  /** All workers of the namespace, those that have left in the last days included. */
  public static WorkerFilter all() {
    return ALL;
  }

  /** Only those that serve a task queue. */
  public WorkerFilter queue(String name) {
    return new WorkerFilter(Names.check("queue", name), statuses);
  }

  /** Only those in one of these states. */
  public WorkerFilter status(WorkerView.Status... any) {
    return new WorkerFilter(queue, Set.copyOf(List.of(any)));
  }
}
