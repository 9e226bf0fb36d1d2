package dev.kagzi.sdk.internal;

import dev.kagzi.v1.StepAttempt;
import org.jspecify.annotations.Nullable;

/**
 * Branches that were begun together, so that none of them depends on what became of another.
 *
 * @param id tells it from other groups, in every replay the same
 * @param name what the workflow calls it, if it gave a name
 */
record BranchGroup(String id, @Nullable String name) {

  /** A group that the workflow named. */
  static BranchGroup named(String runId, String name) {
    return new BranchGroup(DerivedIds.uuid(runId, "parallel/" + name).toString(), name);
  }

  /** A group that is known by the first of its branches. */
  static BranchGroup begunWith(String runId, String stepKey) {
    return new BranchGroup(DerivedIds.uuid(runId, "begun-with/" + stepKey).toString(), null);
  }

  void writeTo(StepAttempt.Builder attempt) {
    attempt.setParallelGroupId(id);
    if (name != null) {
      attempt.setParentStepId(name);
    }
  }
}
