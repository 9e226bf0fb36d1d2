package dev.kagzi.testing.internal;

import dev.kagzi.sdk.StepFn;
import dev.kagzi.testing.internal.StepReports.Place;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Which steps are not executed as they are written. Thread-safe. */
public final class StepPlan {

  private record Stub(@Nullable Object value) {}

  private record Failure(int times, Exception error) {}

  private final Map<String, Stub> stubs = new HashMap<>();
  private final Map<String, Failure> failures = new HashMap<>();
  private final Map<Place, Integer> failed = new HashMap<>();

  public synchronized void stub(String step, @Nullable Object value) {
    stubs.put(step, new Stub(value));
  }

  public synchronized void fail(String step, int times, Exception error) {
    failures.put(step, new Failure(times, error));
  }

  /** A step of a run, by its name and, where its workflow gave one, by its key. */
  record Asked(String runId, String name, @Nullable String key) {

    /** What a plan may say about it; what says more comes first. */
    private String keyed() {
      return key == null ? name : name + "[" + key + "]";
    }
  }

  /** Executes a step, or does what is planned instead. */
  // What a stub returns is checked when it is written as the result.
  @SuppressWarnings({"unchecked", "NullAway"})
  <T extends @Nullable Object> T execute(Asked asked, StepFn<? extends T> fn) throws Exception {
    Exception error = nextFailure(asked);
    if (error != null) {
      throw error;
    }
    Stub stub = stubFor(asked);
    return stub == null ? fn.run() : (T) stub.value();
  }

  private synchronized @Nullable Exception nextFailure(Asked asked) {
    Failure planned = failures.getOrDefault(asked.keyed(), failures.get(asked.name()));
    if (planned == null) {
      return null;
    }
    int before = failed.merge(new Place(asked.runId(), asked.keyed()), 1, Integer::sum) - 1;
    return before < planned.times() ? planned.error() : null;
  }

  private synchronized @Nullable Stub stubFor(Asked asked) {
    return stubs.getOrDefault(asked.keyed(), stubs.get(asked.name()));
  }
}
