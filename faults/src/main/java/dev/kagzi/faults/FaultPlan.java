package dev.kagzi.faults;

import org.jspecify.annotations.Nullable;

/** Decides which statements are hit. Must be thread-safe. */
@FunctionalInterface
public interface FaultPlan {

  /** What a commit is asked about as. */
  String COMMIT = "COMMIT";

  /**
   * Asked about every statement that is about to be executed, and about every commit, unless
   * something is planned for its transaction already.
   *
   * @return what will happen; null if nothing does
   */
  @Nullable Fault next(String sql);
}
