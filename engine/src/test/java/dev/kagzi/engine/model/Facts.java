package dev.kagzi.engine.model;

import dev.kagzi.engine.domain.RunStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The model's whole state as texts by name, and how such texts are put together. */
final class Facts {

  private final List<String> parts = new ArrayList<>();

  private Facts() {}

  static Facts run() {
    return new Facts();
  }

  static Facts step() {
    return new Facts();
  }

  /** What is absent is left out, so that differences are easy to see. */
  Facts with(String name, @Nullable Object value) {
    String text = Objects.toString(value);
    if (!text.equals("null") && !text.equals("null/null")) {
      parts.add(name + "=" + text);
    }
    return this;
  }

  @Override
  public String toString() {
    return String.join(" ", parts);
  }

  static SortedMap<String, String> of(World world) {
    SortedMap<String, String> facts = new TreeMap<>();
    world.runs.values().forEach(run -> add(run, facts));
    world.workers.forEach((label, worker) ->
        facts.put("worker " + label, "%s last heard %s".formatted(worker.status, worker.lastBeat)));
    world.endedParents.forEach(label -> facts.put("ended parent " + label, ""));
    world.schedules.forEach((label, schedule) -> {
      facts.put(
          "schedule " + label,
          "%s fired up to %s, next %s"
              .formatted(
                  schedule.paused ? "PAUSED" : "SCHEDULED",
                  schedule.firedUpTo,
                  schedule.paused ? null : ScheduleRules.next(schedule, schedule.firedUpTo)));
      schedule.firings.forEach((at, fate) -> facts.put("tick " + label + "@" + at, fate));
    });
    return facts;
  }

  private static void add(ModelRun run, SortedMap<String, String> facts) {
    facts.put("run " + run.label, runText(run));
    for (ModelRun.Attempt row : run.history) {
      facts.put(
          "step %s/%s/%d".formatted(run.label, row.step, row.number),
          step()
              .with("status", row.status)
              .with("settled", row.settled)
              .with("epoch", row.epoch)
              .with("finished", row.finishedAt)
              .with("retryAt", row.retryAt)
              .with("timedOut", row.timedOut)
              .with("superseded", row.superseded)
              .with("output", row.result)
              .toString());
    }
    run.begun.forEach((step, begun) ->
        facts.put(
            "begun " + run.label + "/" + step,
            "attempt %d epoch %d once %s until %s"
                .formatted(begun.attempt(), begun.epoch(), begun.atMostOnce(), begun.until())));
    run.waits.forEach((step, wait) ->
        facts.put(
            "wait " + run.label + "/" + step, "%s until %s".formatted(wait.kind(), wait.until())));
    run.events.forEach(event ->
        facts.put("event " + run.label + "/" + event.key, "consumed by " + event.consumedBy));
    run.items.forEach((step, item) ->
        facts.put(
            "item " + run.label + "/" + step,
            "%s %s %s"
                .formatted(
                    item.child, item.end == null ? RunStatus.RUNNING : item.end, item.output)));
  }

  private static String runText(ModelRun run) {
    return run()
        .with("status", run.status)
        .with("reason", run.waitReason)
        .with("at", run.availableAt == null ? run.leaseUntil : run.availableAt)
        .with("worker", run.worker)
        .with("epoch", run.epoch)
        .with("failures", run.failures)
        .with("crashes", run.crashes)
        .with("retries", run.retries)
        .with("sagas", run.openSagas)
        .with("stop", run.stop)
        .with("stopAt", run.stopAt)
        .with("type", run.type + ":" + run.version)
        .with("queue", run.queue)
        .with("externalId", run.externalId)
        .with("deadline", run.deadlineAt)
        .with("created", run.createdAt)
        .with("started", run.startedAt)
        .with("finished", run.finishedAt)
        .with("parent", run.parent + "/" + run.parentStep)
        .with("handlerFor", run.handlerFor)
        .with("continuedFrom", run.continuedFrom)
        .with("continuedAs", run.continuedAs)
        .with("forkedFrom", run.forkedFrom)
        .with("schedule", run.schedule)
        .with("fireAt", run.fireAt)
        .with("failedStep", run.failedStep)
        .with("result", result(run))
        .toString();
  }

  private static @Nullable String result(ModelRun run) {
    String result = run.result;
    return result == null || run.status == RunStatus.COMPLETED
        ? result
        : result.toLowerCase(Locale.ROOT).replace("_", "");
  }
}
