package dev.kagzi.e2e.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kagzi.e2e.suite.Deployment;
import dev.kagzi.e2e.suite.DurabilitySuite;
import dev.kagzi.sdk.EventType;
import dev.kagzi.sdk.RequestRefusedException;
import dev.kagzi.sdk.RunStatus;
import dev.kagzi.sdk.StepFailedException;
import dev.kagzi.sdk.StepFuture;
import dev.kagzi.sdk.Winner;
import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.WorkflowFailedException;
import dev.kagzi.sdk.WorkflowNotFoundException;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.WorkflowHandle;
import dev.kagzi.sdk.worker.Worker;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@Execution(ExecutionMode.CONCURRENT)
@EnumSource(Deployment.class)
class EventsTest extends DurabilitySuite {

  private record Approval(boolean ok, String by) {}

  private static final EventType<Approval> APPROVED = EventType.of("approved", Approval.class);
  private static final Approval YES = new Approval(true, "eve");

  private final WorkflowType<String, String> type = freshType();
  private final AtomicInteger passes = new AtomicInteger();
  private final CountDownLatch never = new CountDownLatch(1);

  EventsTest(Deployment deployment) {
    super(deployment);
  }

  @AfterEach
  void letGo() {
    never.countDown();
  }

  private Worker serveWaiting() {
    return serve(
        type,
        (ctx, in) -> {
          passes.incrementAndGet();
          return ctx.waitFor(APPROVED).by();
        });
  }

  @Test
  void aRunThatWaitsHoldsNoWorkerAndGoesOnWithTheEvent() {
    Worker worker = serveWaiting();
    WorkflowHandle<String> handle = start(type, "");
    awaitStatus(handle, RunStatus.SLEEPING);
    awaitIdle(worker);

    client.send(handle.runId(), APPROVED, YES);

    assertThat(resultOf(handle)).isEqualTo("eve");
    assertThat(passes).hasValue(2);
  }

  @Test
  void anEventThatCameBeforeTheWaitIsThere() {
    WorkflowHandle<String> handle = start(type, "");
    client.send(handle.runId(), APPROVED, YES);
    serveWaiting();

    assertThat(resultOf(handle)).isEqualTo("eve");
    assertThat(passes).hasValue(1);
  }

  @Test
  void aWaitThatGetsNothingInTimeIsEmpty() {
    serve(type, (ctx, in) -> ctx.waitFor(APPROVED, "300ms").map(Approval::by).orElse("nobody"));

    assertThat(resultOf(start(type, ""))).isEqualTo("nobody");
  }

  @Test
  void anEventEndsARaceWhileTheOtherBranchStillExecutes() throws Exception {
    var executing = new CountDownLatch(1);
    serve(
        type,
        (ctx, in) -> {
          StepFuture<Optional<Approval>> event = ctx.event(APPROVED);
          StepFuture<String> work =
              ctx.step("work")
                  .async(
                      String.class,
                      () -> {
                        executing.countDown();
                        never.await();
                        return "done";
                      });
          Winner<?> winner = ctx.race("first", event, work);
          return winner.step() + " " + event.get().orElseThrow().by();
        });
    WorkflowHandle<String> handle = start(type, "");
    await(executing, "the step begins");

    client.send(handle.runId(), APPROVED, YES);

    assertThat(resultOf(handle)).isEqualTo("approved eve");
  }

  @Test
  void anEventAndATimeoutHaveOneWinnerAndNothingIsLost() throws Exception {
    serve(
        type,
        (ctx, in) -> {
          Optional<Approval> first = ctx.waitFor(APPROVED, "150ms");
          Duration rest = first.isPresent() ? Duration.ZERO : LIMIT;
          Optional<Approval> second = ctx.waitFor(APPROVED, rest);
          return first.isPresent() + " " + second.isPresent();
        });
    List<String> results = new ArrayList<>();
    List<WorkflowHandle<String>> handles = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      handles.add(start(type, ""));
    }
    Thread.sleep(100); // Not a wait: the sends below are meant to come about when the time is up.
    for (WorkflowHandle<String> handle : handles) {
      handle.send(APPROVED, YES);
    }
    handles.forEach(handle -> results.add(resultOf(handle)));

    assertThat(results).isSubsetOf("true false", "false true");
  }

  @Test
  void aStepGoesOnWhileItsSiblingWaits() {
    serve(
        type,
        (ctx, in) -> {
          passes.incrementAndGet();
          StepFuture<Optional<Approval>> event = ctx.event(APPROVED, "1h");
          StepFuture<String> work = ctx.step("work").async(String.class, () -> "worked");
          String worked = work.get();
          ctx.setState(worked);
          ctx.all(event);
          return worked + " " + event.get().map(Approval::by).orElse("nobody");
        });
    WorkflowHandle<String> handle = start(type, "");
    awaitStatus(handle, RunStatus.SLEEPING);

    handle.send(APPROVED, YES);

    assertThat(resultOf(handle)).isEqualTo("worked eve");
    assertThat(passes).hasValue(2);
  }

  @Test
  void aWaitIsNotStartedOverWhenItsWorkerIsLost() throws Exception {
    var executing = new Semaphore(0);
    Workflow<String, String> workflow =
        (ctx, in) -> {
          StepFuture<Optional<Approval>> event = ctx.event(APPROVED, "10m");
          StepFuture<String> work =
              ctx.step("work")
                  .async(
                      String.class,
                      () -> {
                        executing.release();
                        never.await();
                        return "done";
                      });
          Winner<?> winner = ctx.race("first", event, work);
          return winner.step() + " " + event.get().orElseThrow().by();
        };
    Worker first = serve(type, workflow);
    WorkflowHandle<String> handle = start(type, "");
    assertThat(executing.tryAcquire(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    Awaitility.await().atMost(LIMIT).until(() -> waitOf(handle), wait -> !wait.isEmpty());
    String before = waitOf(handle);

    first.stop();
    serve(type, workflow);
    assertThat(executing.tryAcquire(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();

    assertThat(waitOf(handle)).isEqualTo(before);
    handle.send(APPROVED, YES);
    assertThat(resultOf(handle)).isEqualTo("approved eve");
  }

  private String waitOf(WorkflowHandle<?> handle) throws SQLException {
    return query(
        "SELECT since || ' ' || timeout_at FROM kagzi.run_waits WHERE run_id = '%s'"
            .formatted(handle.runId()));
  }

  private String query(String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(home().jdbcUrl());
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      return rows.next() ? rows.getString(1) : "";
    }
  }

  @Test
  void aWorkerThatIsToldNothingAsksAgainWithItsHeartbeat() throws Exception {
    var executing = new CountDownLatch(1);
    serve(
        type,
        (ctx, in) -> {
          StepFuture<Optional<Approval>> event = ctx.event(APPROVED);
          StepFuture<String> work =
              ctx.step("work")
                  .async(
                      String.class,
                      () -> {
                        executing.countDown();
                        never.await();
                        return "done";
                      });
          return ctx.race("first", event, work).step();
        });
    WorkflowHandle<String> handle = start(type, "");
    await(executing, "the step begins");
    Awaitility.await()
        .atMost(LIMIT)
        .until(
            () ->
                query(
                    "SELECT step_key FROM kagzi.run_waits WHERE run_id = '%s'"
                        .formatted(handle.runId())),
            "approved"::equals);

    String behindTheEnginesBack =
        query(
            """
            INSERT INTO kagzi.run_events (
              run_id, namespace_id, event_name, idempotency_key, payload, payload_metadata, sent_at)
            VALUES ('%s', 'default', 'approved', 'k', '{"ok":true,"by":"eve"}',
                    '{"content-type":"application/json"}', now())
            RETURNING event_name
            """
                .formatted(handle.runId()));

    assertThat(behindTheEnginesBack).isEqualTo("approved");
    assertThat(resultOf(handle)).isEqualTo("approved");
  }

  @Test
  void anEventOfAnotherTypeFailsItsStepAndIsThereAgainAfterARetry() {
    EventType<String> wrong = EventType.of("approved", String.class);
    Worker first = serve(type, (ctx, in) -> ctx.waitFor(APPROVED).by());
    WorkflowHandle<String> handle = start(type, "");
    handle.send(wrong, "yes");

    WorkflowFailedException failure = failureOf(handle);
    assertThat(failure)
        .hasMessageContainingAll(handle.runId(), "'approved'", "Approval", "EventType");
    first.stop();
    serve(type, (ctx, in) -> ctx.waitFor(wrong));
    handle.retry();

    assertThat(resultOf(handle)).isEqualTo("yes");
  }

  @Test
  void theWorkflowMayCatchAnEventThatItCannotRead() {
    serve(
        type,
        (ctx, in) -> {
          try {
            return ctx.waitFor(APPROVED).by();
          } catch (StepFailedException unreadable) {
            return unreadable.step() + ", then " + ctx.waitFor(APPROVED).by();
          }
        });
    WorkflowHandle<String> handle = start(type, "");
    handle.send(EventType.of("approved", Integer.class), 5);
    handle.send(APPROVED, YES);

    assertThat(resultOf(handle)).isEqualTo("approved, then eve");
  }

  @Test
  void aStartBringsItsFirstEventAlsoToTheRunThatIsThere() {
    String id = freshName("order");
    WorkflowHandle<String> handle =
        client.start(type).queue(queue()).id(id).input("").firstEvent(APPROVED, YES).send();
    WorkflowHandle<String> same =
        client
            .start(type)
            .queue(queue())
            .id(id)
            .input("")
            .firstEvent(APPROVED, new Approval(true, "ada"))
            .send();
    client.sendToId(id, APPROVED, new Approval(true, "bob"));
    serve(
        type,
        (ctx, in) ->
            ctx.waitFor(APPROVED).by() + ctx.waitFor(APPROVED).by() + ctx.waitFor(APPROVED).by());

    assertThat(same.runId()).isEqualTo(handle.runId());
    assertThat(same.alreadyExisted()).isTrue();
    assertThat(resultOf(handle)).isEqualTo("eveadabob");
  }

  @Test
  void aKeyOfTheSendersOwnIsDeliveredOnceAndAnEndedRunTakesNothing() {
    serve(type, (ctx, in) -> ctx.waitFor(APPROVED).by());
    WorkflowHandle<String> handle = start(type, "");

    assertThat(client.send(handle.runId(), APPROVED, YES, "click-1")).isTrue();
    assertThat(client.send(handle.runId(), APPROVED, YES, "click-1")).isFalse();
    assertThat(resultOf(handle)).isEqualTo("eve");
    assertThat(client.send(handle.runId(), APPROVED, YES, "click-1")).isFalse();
    assertThatThrownBy(() -> handle.send(APPROVED, YES))
        .isInstanceOfSatisfying(
            RequestRefusedException.class,
            refusal -> assertThat(refusal.reason()).isEqualTo("RUN_TERMINAL"));
    assertThatThrownBy(() -> client.sendToId("nobody has this id", APPROVED, YES))
        .isInstanceOf(WorkflowNotFoundException.class);
  }

  @Test
  void whatARunShowsIsReadWithNoWorkerAndAfterItsEnd() {
    Workflow<String, String> workflow =
        (ctx, in) -> {
          ctx.setState("received");
          ctx.setState("progress", 10);
          ctx.step("work", () -> {});
          ctx.setState("waiting");
          ctx.waitFor(APPROVED);
          ctx.setState("progress", null);
          return "done";
        };
    Worker worker = serve(type, workflow);
    WorkflowHandle<String> handle = start(type, "");
    awaitStatus(handle, RunStatus.SLEEPING);
    worker.stop();

    assertThat(client.state(handle.runId(), String.class)).contains("waiting");
    assertThat(handle.state("progress", Integer.class)).contains(10);
    assertThat(handle.state("nothing", String.class)).isEmpty();
    handle.send(APPROVED, YES);
    serve(type, workflow);
    assertThat(resultOf(handle)).isEqualTo("done");
    assertThat(handle.state(String.class)).contains("waiting");
    assertThat(handle.state("progress", Integer.class)).isEmpty();
  }
}
