package dev.kagzi.bench.kagzi;

import dev.kagzi.sdk.WorkflowType;
import java.util.List;

/**
 * The workflows that are measured, under names that begin with those of their queue, so that two
 * measurements on one server do not get into each other's way. Immutable.
 */
record BenchTypes(String queue) {

  /** So many steps, one after another. */
  WorkflowType<Integer, String> steps() {
    return WorkflowType.of(queue + "-steps", Integer.class, String.class);
  }

  /** So many steps beside each other. */
  WorkflowType<Integer, Integer> parallel() {
    return WorkflowType.of(queue + "-parallel", Integer.class, Integer.class);
  }

  /** Starts so many children and waits for them. */
  WorkflowType<Integer, Integer> parent() {
    return WorkflowType.of(queue + "-parent", Integer.class, Integer.class);
  }

  /** Returns at once. */
  WorkflowType<Integer, String> child() {
    return WorkflowType.of(queue + "-child", Integer.class, String.class);
  }

  /** Records steps, then leaves the worker and comes back several times. */
  WorkflowType<ReplayPlan, ReplayTimes> replay() {
    return WorkflowType.of(queue + "-replay", ReplayPlan.class, ReplayTimes.class);
  }

  /** How many steps to record, and how often to go through them again. */
  record ReplayPlan(int steps, int times) {}

  /** How long it took each time, from the arrival of the task to the first new step. */
  record ReplayTimes(List<Double> millis) {}
}
