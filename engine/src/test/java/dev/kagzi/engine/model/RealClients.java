package dev.kagzi.engine.model;

import dev.kagzi.core.Payload;
import dev.kagzi.engine.Engine;
import dev.kagzi.engine.domain.CancelOutcome;
import dev.kagzi.engine.domain.EventMessage;
import dev.kagzi.engine.domain.ForkOutcome;
import dev.kagzi.engine.domain.ForkRequest;
import dev.kagzi.engine.domain.RetryOutcome;
import dev.kagzi.engine.domain.RunPolicies;
import dev.kagzi.engine.domain.Schedule;
import dev.kagzi.engine.domain.StartOutcome;
import dev.kagzi.engine.domain.StartRequest;
import dev.kagzi.engine.operation.ManualFirings;
import dev.kagzi.engine.operation.Schedules;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** What clients do, asked of the engine itself. */
final class RealClients {

  private final Engine engine;
  private final Labels labels;
  private final InstantSource time;
  private final UnaryOperator<String> namespaces;

  /**
   * Makes it.
   *
   * @param namespaces what the engine calls the namespaces of the history
   */
  RealClients(Engine engine, Labels labels, InstantSource time, UnaryOperator<String> namespaces) {
    this.engine = engine;
    this.labels = labels;
    this.time = time;
    this.namespaces = namespaces;
  }

  static Payload payload(String text) {
    return new Payload(text.getBytes(StandardCharsets.UTF_8), Map.of());
  }

  String start(Op.Start op) {
    Op.Wish wish = op.wish();
    Duration deadline = wish.deadline();
    Instant moment = deadline == null ? null : time.instant().plus(deadline);
    StartOutcome outcome =
        engine
            .workflows()
            .start(
                StartRequest.of(namespaces.apply(op.namespace()), wish.type())
                    .taskQueue(wish.queue())
                    .version(wish.version())
                    .externalId(wish.externalId())
                    .reusePolicy(wish.reuse())
                    .startDelay(wish.delay())
                    .deadline(moment)
                    .policies(policies(wish))
                    .input(payload("in"))
                    .build());
    if (outcome instanceof StartOutcome.Started) {
      labels.put(outcome.runId().value(), op.tag());
    }
    return text(outcome);
  }

  private static RunPolicies policies(Op.Wish wish) {
    return new RunPolicies(
        wish.attempts() == 0 ? null : Steps.runPolicy(wish.attempts()),
        null,
        null,
        wish.limit(),
        wish.handled() ? StartRules.HANDLER : null,
        null);
  }

  private String text(StartOutcome outcome) {
    return "%s %s %s"
        .formatted(
            outcome instanceof StartOutcome.Started ? "started" : "exists",
            labels.of(outcome.runId().value()),
            outcome.status());
  }

  String startAgain(Op.StartAgain op, ModelRun known) {
    return text(
        engine
            .workflows()
            .start(
                StartRequest.of(namespaces.apply(known.namespace), known.type)
                    .requestId(labels.run(op.run()))
                    .build()));
  }

  String cancel(Op.Cancel op) {
    String namespace = namespaces.apply(op.namespace());
    CancelOutcome outcome =
        op.terminate()
            ? engine.workflows().terminate(namespace, labels.run(op.run()), "by " + op.client())
            : engine.workflows().cancel(namespace, labels.run(op.run()), "by " + op.client());
    return switch (outcome) {
      case CancelOutcome.Cancelled cancelled -> "cancelled";
      case CancelOutcome.StopRequested asked -> "stop requested";
      case CancelOutcome.AlreadyEnded ended -> "ended before " + ended.status();
    };
  }

  String retry(Op.Retry op) {
    RetryOutcome outcome =
        engine
            .retries()
            .retry(namespaces.apply(op.namespace()), labels.run(op.run()), op.expected());
    return switch (outcome) {
      case RetryOutcome.Retried retried -> "retried " + retried.supersededSteps();
      case RetryOutcome.AlreadyActive active -> "already active";
      case RetryOutcome.Refused refused -> throw refused.refusal();
    };
  }

  String fork(Op.Fork op) {
    ForkOutcome outcome =
        engine
            .forks()
            .fork(
                new ForkRequest(
                    namespaces.apply(op.namespace()),
                    labels.run(op.run()),
                    null,
                    op.fromStep(),
                    ForkRequest.Changes.NONE));
    labels.put(outcome.runId().value(), op.tag());
    return "forked %s with %d steps".formatted(op.tag(), outcome.copiedSteps());
  }

  String send(Op.Send op) {
    return engine
        .messages()
        .send(
            namespaces.apply(op.namespace()),
            labels.run(op.run()),
            new EventMessage(op.event(), payload(op.key()), op.key()))
        .outcome()
        .name();
  }

  String delete(Op.Delete op) {
    return "deleted "
        + engine.runLists().delete(namespaces.apply(op.namespace()), labels.run(op.run()));
  }

  String create(Op.NewSchedule op) {
    String cron =
        switch (op.minutes()) {
          case 1 -> "* * * * *";
          case 60 -> "0 * * * *";
          default -> "*/" + op.minutes() + " * * * *";
        };
    var template =
        new Schedule.Template(
            ScheduleRules.TYPE, null, null, payload("tick"), RunPolicies.NONE, Map.of());
    Schedule schedule =
        engine
            .scheduling()
            .schedules()
            .create(
                new Schedule.Definition(
                    namespaces.apply(op.namespace()),
                    null,
                    cron,
                    "UTC",
                    op.maxCatchup(),
                    op.overlap(),
                    "",
                    template),
                null,
                false)
            .schedule();
    labels.put(schedule.scheduleId().value(), op.tag());
    return "schedule, next " + schedule.nextFireAt();
  }

  String touch(Op.OnSchedule op, String inNamespace) {
    String namespace = namespaces.apply(inNamespace);
    String id = labels.id(op.schedule()).toString();
    Schedules schedules = engine.scheduling().schedules();
    ManualFirings manual = engine.scheduling().manual();
    return switch (op.touch()) {
      case PAUSE -> text(schedules.pause(namespace, id, ""));
      case RESUME -> text(schedules.resume(namespace, id));
      case DELETE -> "deleted " + schedules.delete(namespace, id);
      case TRIGGER -> {
        var tick = manual.trigger(namespace, id, null).tick();
        yield "tick " + tick.fireAt() + " " + fate(tick.skipped());
      }
    };
  }

  private static String fate(@Nullable Object skipped) {
    return skipped == null ? ScheduleRules.FIRED : Objects.toString(skipped);
  }

  private static String text(Schedule schedule) {
    return schedule.status() + ", next " + schedule.nextFireAt();
  }
}
