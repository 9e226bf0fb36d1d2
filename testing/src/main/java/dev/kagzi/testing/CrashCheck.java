package dev.kagzi.testing;

import dev.kagzi.sdk.WorkflowFailedException;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.testing.internal.Standstill;
import dev.kagzi.testing.internal.StepReports;
import dev.kagzi.testing.internal.StepReports.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Compares runs that lose their worker with one that does not. Not thread-safe. */
final class CrashCheck<O extends @Nullable Object> {

  private final TestKagzi kagzi;
  private final StepReports reports;
  private final Function<? super O, ? extends @Nullable Object> view;

  CrashCheck(
      TestKagzi kagzi, StepReports reports, Function<? super O, ? extends @Nullable Object> view) {
    this.kagzi = kagzi;
    this.reports = reports;
    this.view = view;
  }

  /**
   * How a run ended, as far as it must be the same each time.
   *
   * @param value what it returned, or how it failed
   */
  private record End(boolean well, @Nullable Object value) {
    boolean isLike(End other) {
      return well == other.well && Objects.deepEquals(value, other.value);
    }

    @Override
    public String toString() {
      return (well ? "returned " : "failed with ") + value;
    }
  }

  /** What was not as without a crash, one line each; empty if the workflow is safe. */
  <I extends @Nullable Object> List<String> faults(WorkflowType<I, O> type, I input) {
    TestRun<O> undisturbed = kagzi.start(type, input);
    End expected = end(undisturbed);
    List<String> steps = reports.settledIn(undisturbed.runId());
    if (steps.isEmpty()) {
      return List.of("no step was recorded, so there is no place to crash at");
    }
    List<String> faults = new ArrayList<>();
    for (String step : steps) {
      TestRun<O> run = kagzi.startLater(type, input);
      reports.crashAt(new Place(run.runId(), step));
      compare(run, step, expected, steps)
          .forEach(fault -> faults.add("crash after '%s': %s".formatted(step, fault)));
    }
    return faults;
  }

  private List<String> compare(TestRun<O> run, String step, End expected, List<String> steps) {
    End found;
    try {
      found = end(run);
    } catch (Standstill standstill) {
      return List.of("the run does not end: " + standstill.getMessage());
    }
    List<String> faults = new ArrayList<>();
    if (!reports.hasCrashedAt(new Place(run.runId(), step))) {
      faults.add("the step was not recorded this time, so nothing was tried");
    }
    if (!found.isLike(expected)) {
      faults.add("%s (expected: %s, as without a crash)".formatted(found, expected));
    }
    reports
        .repeatedIn(run.runId())
        .forEach(
            repeated -> faults.add("'%s' was recorded and executed again".formatted(repeated)));
    faults.addAll(difference(steps, reports.settledIn(run.runId())));
    return faults;
  }

  private static List<String> difference(List<String> expected, List<String> found) {
    var missing = new TreeSet<>(expected);
    missing.removeAll(found);
    var more = new TreeSet<>(found);
    more.removeAll(expected);
    List<String> faults = new ArrayList<>();
    missing.forEach(key -> faults.add("'%s' was not recorded".formatted(key)));
    more.forEach(key -> faults.add("'%s' was recorded, and is not without a crash".formatted(key)));
    return faults;
  }

  private End end(TestRun<O> run) {
    try {
      return new End(true, view.apply(run.result()));
    } catch (WorkflowFailedException failure) {
      return new End(false, List.of(failure.status(), failure.errorType(), failure.errorMessage()));
    }
  }
}
