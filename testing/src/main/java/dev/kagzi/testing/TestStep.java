package dev.kagzi.testing;

import dev.kagzi.testing.internal.StepReports;

/** One step of a {@link TestRun}. Thread-safe. */
public final class TestStep {

  private final StepReports reports;
  private final StepReports.Place place;

  TestStep(StepReports reports, StepReports.Place place) {
    this.reports = reports;
    this.place = place;
  }

  /**
   * How often the step was executed: attempts that failed and those whose worker was lost
   * afterwards count, stubs too; replays of a recorded result do not.
   */
  public int executions() {
    return reports.executions(place);
  }

  /** Whether its result is recorded, so that it will never be executed again. */
  public boolean isSettled() {
    return reports.isSettled(place);
  }
}
