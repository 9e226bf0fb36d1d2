package dev.kagzi.engine.interleaving;

import static dev.kagzi.engine.TestEngine.NAMESPACE;
import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.request;
import static dev.kagzi.engine.interleaving.Director.COMPLETED;
import static dev.kagzi.engine.interleaving.Director.FAILED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.engine.TestEngine;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.FinishOutcome;
import dev.kagzi.engine.domain.OverlapPolicy;
import dev.kagzi.engine.domain.RetryOutcome;
import dev.kagzi.engine.domain.ReusePolicy;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunPolicies;
import dev.kagzi.engine.domain.Schedule;
import dev.kagzi.engine.domain.StartOutcome;
import dev.kagzi.engine.domain.StartRequest;
import dev.kagzi.engine.interleaving.Race.Play;
import dev.kagzi.engine.operation.Namespaces;
import dev.kagzi.engine.operation.Schedules;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

/** Races for an external id or a tick: one run has it, and the others hear which. */
final class StartRaces {

  private static final Instant TIME_OF_SCHEDULES = Instant.parse("2035-01-01T00:00:00Z");
  private static final int TICKS = 3;

  private StartRaces() {}

  static Stream<Race> all() {
    return Stream.of(
        new Race("start / start", StartRaces::startTwice),
        new Race("start / the same start again", StartRaces::repeatStart),
        reuse(ReusePolicy.ALLOW, COMPLETED, true),
        reuse(ReusePolicy.ALLOW_IF_FAILED, COMPLETED, false),
        reuse(ReusePolicy.ALLOW_IF_FAILED, FAILED, true),
        reuse(ReusePolicy.REJECT, COMPLETED, false),
        new Race("retry / start", StartRaces::retryAndStart),
        new Race("retry / retry", StartRaces::retryTwice),
        new Race("fire / fire", StartRaces::fireTwice));
  }

  private static Race reuse(ReusePolicy policy, RunEnding ending, boolean mayStart) {
    String name = "start (%s) / finish (%s)".formatted(policy, ending.status());
    return new Race(
        name,
        (director, first, second) ->
            startAndFinish(director, first, second, policy, ending, mayStart));
  }

  private static StartRequest.Builder named(String externalId) {
    return request().externalId(externalId);
  }

  private static String freshName() {
    return "order-" + UUID.randomUUID();
  }

  private static int live(Director director, String externalId) {
    return director.count("workflow_runs WHERE external_id = '%s'".formatted(externalId));
  }

  private static Play startTwice(Director director, Actor first, Actor second) {
    String name = freshName();
    return new Play(
        () -> first.bench().workflows.start(named(name).build()),
        () -> second.bench().workflows.start(named(name).build()),
        (one, other) -> {
          StartOutcome here = one.as(StartOutcome.class);
          StartOutcome there = other.as(StartOutcome.class);
          assertThat(here.runId()).isEqualTo(there.runId());
          assertThat(one.is(StartOutcome.Started.class))
              .isNotEqualTo(other.is(StartOutcome.Started.class));
          assertThat(live(director, name)).isOne();
        });
  }

  private static Play repeatStart(Director director, Actor first, Actor second) {
    String name = freshName();
    RunId requestId = new RunId(new TimeOrderedIds(Director::now).next());
    StartRequest request = named(name).requestId(requestId).build();
    return new Play(
        () -> first.bench().workflows.start(request),
        () -> second.bench().workflows.start(request),
        (one, other) -> {
          assertThat(one.as(StartOutcome.Started.class).runId()).isEqualTo(requestId);
          assertThat(other.as(StartOutcome.Started.class).runId()).isEqualTo(requestId);
          assertThat(live(director, name)).isOne();
        });
  }

  private static Play startAndFinish(
      Director director,
      Actor first,
      Actor second,
      ReusePolicy policy,
      RunEnding ending,
      boolean mayStart) {
    String name = freshName();
    Fence old = fence(director.held(named(name)));
    return new Play(
        () -> first.bench().workflows.start(named(name).reusePolicy(policy).build()),
        () -> second.bench().tasks.finish(old, ending),
        (started, finished) -> {
          assertThat(finished.is(FinishOutcome.Ended.class)).isTrue();
          assertThat(director.status(old.runId())).isEqualTo(ending.status().name());
          if (started.is(StartOutcome.AlreadyExists.class)) {
            assertThat(started.as(StartOutcome.class).runId()).isEqualTo(old.runId());
            assertThat(live(director, name)).isZero();
          } else {
            assertThat(mayStart).isTrue();
            RunId fresh = started.as(StartOutcome.Started.class).runId();
            assertThat(fresh).isNotEqualTo(old.runId());
            assertThat(director.status(fresh)).isEqualTo("PENDING");
            assertThat(live(director, name)).isOne();
          }
        });
  }

  private static Play retryAndStart(Director director, Actor first, Actor second) {
    String name = freshName();
    RunId failed = director.failed(named(name));
    return new Play(
        () -> first.bench().retries.retry(NAMESPACE, failed, null),
        () -> second.bench().workflows.start(named(name).build()),
        (retried, started) -> {
          assertThat(live(director, name)).isOne();
          if (retried.is(RetryOutcome.Retried.class)) {
            assertThat(started.as(StartOutcome.AlreadyExists.class).runId()).isEqualTo(failed);
            assertThat(director.status(failed)).isEqualTo("PENDING");
          } else {
            assertThat(retried.isRefusedWith(ErrorCode.ALREADY_ACTIVE)).isTrue();
            RunId fresh = started.as(StartOutcome.Started.class).runId();
            assertThat(director.status(fresh)).isEqualTo("PENDING");
            assertThat(director.status(failed)).isEqualTo("FAILED");
          }
        });
  }

  private static Play retryTwice(Director director, Actor first, Actor second) {
    RunId failed = director.failed(request());
    return new Play(
        () -> first.bench().retries.retry(NAMESPACE, failed, 0),
        () -> second.bench().retries.retry(NAMESPACE, failed, 0),
        (one, other) -> {
          assertThat(one.is(RetryOutcome.Retried.class)).isTrue();
          assertThat(other.is(RetryOutcome.Retried.class)).isTrue();
          assertThat(director.status(failed)).isEqualTo("PENDING");
          assertThat(
                  director.text(
                      "SELECT retries FROM kagzi.workflow_runs WHERE run_id = '%s'"
                          .formatted(failed)))
              .isEqualTo("1");
        });
  }

  private static Play fireTwice(Director director, Actor first, Actor second) {
    RunId schedule = schedule(director);
    Instant now = TIME_OF_SCHEDULES.plusSeconds(TICKS);
    return new Play(
        () -> first.bench().firings.fire(schedule, now, 100),
        () -> second.bench().firings.fire(schedule, now, 100),
        (one, other) -> {
          assertThat(one.as(Integer.class) + other.as(Integer.class)).isEqualTo(TICKS);
          assertThat(
                  director.count(
                      "schedule_firings WHERE outcome = 'FIRED' AND schedule_id = '%s'"
                          .formatted(schedule)))
              .isEqualTo(TICKS);
          assertThat(
                  director.count(
                      "workflow_runs WHERE schedule_group_id = '%s'".formatted(schedule)))
              .isEqualTo(TICKS);
        });
  }

  /** A schedule of another time, that nobody fires but who is asked to. */
  private static RunId schedule(Director director) {
    Schedule.Definition everySecond =
        new Schedule.Definition(
            NAMESPACE,
            freshName(),
            "* * * * * *",
            "UTC",
            100,
            OverlapPolicy.ALLOW,
            "",
            new Schedule.Template(
                TestEngine.TYPE.workflowType(),
                TestEngine.QUEUE.taskQueue(),
                null,
                TestEngine.payload("\"tick\""),
                RunPolicies.NONE,
                Map.of()));
    Namespaces namespaces = new Namespaces(director.database(), Director::now);
    Schedules schedules =
        new Schedules(director.database(), Director::now, namespaces, unheard -> {});
    RunId id = schedules.create(everySecond, null, true).schedule().scheduleId();
    director.execute(
        "UPDATE kagzi.workflow_runs SET last_fired_at = '%s' WHERE run_id = '%s'"
            .formatted(TIME_OF_SCHEDULES, id));
    schedules.resume(NAMESPACE, id.toString());
    return id;
  }
}
