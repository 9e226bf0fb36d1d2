package dev.kagzi.sdk.internal;

import dev.kagzi.sdk.StepFuture;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A branch as its workflow sees it. */
record RunFuture<T extends @Nullable Object>(Branches branches, Branch branch)
    implements StepFuture<T> {

  @Override
  public String step() {
    return branch.key();
  }

  @Override
  @SuppressWarnings({"unchecked", "NullAway"})
  public T get() {
    branches.awaitAll(List.of(branch));
    return (T) branch.result();
  }

  @Override
  public boolean isDone() {
    return branches.isDone(branch);
  }
}
