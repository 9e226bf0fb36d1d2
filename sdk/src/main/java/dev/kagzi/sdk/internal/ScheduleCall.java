package dev.kagzi.sdk.internal;

import dev.kagzi.v1.CreateScheduleRequest;
import dev.kagzi.v1.OverlapPolicy;
import dev.kagzi.v1.RunTemplate;
import dev.kagzi.v1.UpdateScheduleRequest;

/**
 * A schedule that is being described, or a change of one: what is not said is left to the server,
 * or left as it is. Not thread-safe.
 */
public final class ScheduleCall {

  private final UpdateScheduleRequest.Builder said = UpdateScheduleRequest.newBuilder();
  private final RunSettings run = new RunSettings();

  public void name(String name) {
    said.setName(name);
  }

  public void cron(String cron) {
    said.setCronExpr(cron);
  }

  public void zone(String zone) {
    said.setTimezone(zone);
  }

  /** The overlap policy by its name. */
  public void overlap(String overlap) {
    said.setOverlapPolicy(OverlapPolicy.valueOf(ScheduleCalls.OVERLAP_PREFIX + overlap));
  }

  public void maxCatchup(int ticks) {
    said.setMaxCatchup(ticks);
  }

  public void description(String description) {
    said.setDescription(description);
  }

  /** What each tick starts. */
  public RunSettings run() {
    return run;
  }

  CreateScheduleRequest.Builder creation() {
    var request =
        CreateScheduleRequest.newBuilder()
            .setName(said.getName())
            .setCronExpr(said.getCronExpr())
            .setTimezone(said.getTimezone())
            .setOverlapPolicy(said.getOverlapPolicy())
            .setDescription(said.getDescription())
            .setRun(run.over(RunTemplate.getDefaultInstance()));
    return said.hasMaxCatchup() ? request.setMaxCatchup(said.getMaxCatchup()) : request;
  }

  /** The change of a schedule that starts such runs so far. */
  UpdateScheduleRequest.Builder change(RunTemplate before) {
    var request = said.clone();
    return run.isEmpty() ? request : request.setRun(run.over(before));
  }
}
