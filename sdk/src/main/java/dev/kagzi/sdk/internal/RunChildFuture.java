package dev.kagzi.sdk.internal;

import dev.kagzi.sdk.ChildFuture;
import org.jspecify.annotations.Nullable;

/** A child as its parent sees it. */
record RunChildFuture<O extends @Nullable Object>(RunFuture<O> future, StartedChild child)
    implements ChildFuture<O> {

  @Override
  public String runId() {
    String known = child.await(future.branches());
    if (known == null) {
      // There is none, and how the branch has ended says why.
      future.get();
      throw new IllegalStateException(
          "step '%s' has no child and has not failed".formatted(step()));
    }
    return known;
  }

  @Override
  public String step() {
    return future.step();
  }

  @Override
  public O get() {
    return future.get();
  }

  @Override
  public boolean isDone() {
    return future.isDone();
  }
}
