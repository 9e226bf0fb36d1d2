package dev.kagzi.engine;

import static dev.kagzi.engine.TestEngine.NAMESPACE;
import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.core.ErrorKind;
import dev.kagzi.core.Payload;
import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.EventMessage;
import dev.kagzi.engine.domain.EventOutcome;
import dev.kagzi.engine.domain.Failure;
import dev.kagzi.engine.domain.HistoryPage;
import dev.kagzi.engine.domain.RecordedStep;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.StartOutcome;
import dev.kagzi.engine.domain.SuspendOutcome;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.WaitRequest;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.operation.Messages;
import dev.kagzi.engine.store.StateStore.Publication;
import dev.kagzi.engine.wakeup.NewsSignals;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Events meet the waits for them, whoever comes first. */
@Order(1)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EventTest {

  private static final int MOST_EVENTS = 10_000;

  private HikariDataSource dataSource;
  private TestEngine kagzi;
  private TestEngine other;
  private Messages messages;
  private WorkerId worker;
  private RunId runId;
  private Task task;

  @BeforeAll
  void start() {
    dataSource = TestEngine.migratedDatabase();
    kagzi = TestEngine.on(dataSource);
    other = TestEngine.on(dataSource);
    messages = kagzi.engine().messages();
  }

  @BeforeEach
  void claim() {
    worker = kagzi.registerWorker();
    runId = kagzi.startRun();
    task = kagzi.pollOne(worker);
  }

  @AfterEach
  void end() {
    kagzi.engine().workflows().terminate(NAMESPACE, runId, "the test is over");
    kagzi.engine().workers().deregister(NAMESPACE, worker);
  }

  @AfterAll
  void stop() {
    other.engine().close();
    kagzi.close();
  }

  private static EventMessage event(String name, int number) {
    return new EventMessage(
        name, payload(Integer.toString(number)), name + number + UUID.randomUUID());
  }

  private EventOutcome send(EventMessage event) {
    return messages.send(NAMESPACE, runId, event).outcome();
  }

  private SuspendOutcome suspend(Task held, boolean release, WaitRequest... waits) {
    return kagzi.engine().tasks().suspend(fence(held), List.of(waits), release).outcome();
  }

  private static WaitRequest waitFor(String stepKey, int seq, String name) {
    return WaitRequest.event(stepKey, seq, name, null);
  }

  private static @Nullable String output(@Nullable RecordedStep step) {
    Payload output = step == null ? null : step.output();
    return output == null ? null : new String(output.data(), StandardCharsets.UTF_8);
  }

  private RunStatus status() {
    return kagzi.engine().workflows().get(NAMESPACE, runId).status();
  }

  private List<RecordedStep> history(Task held) {
    return kagzi.engine().tasks().history(fence(held), HistoryPage.Position.START).steps();
  }

  @Test
  void aWaitGetsTheOldestEventOfItsName() {
    send(event("other", 0));
    send(event("go", 1));
    send(event("go", 2));

    SuspendOutcome first = suspend(task, true, waitFor("go", 1, "go"));
    SuspendOutcome second = suspend(task, true, waitFor("go#2", 2, "go"));
    SuspendOutcome third = suspend(task, true, waitFor("go#3", 3, "go"));

    assertThat(output(first.waits().get(0).ended())).isEqualTo("1");
    assertThat(output(second.waits().get(0).ended())).isEqualTo("2");
    assertThat(third.released()).isTrue();
    assertThat(status()).isEqualTo(RunStatus.SLEEPING);
  }

  @Test
  void aRunThatSleepsWithoutAnEndIsClaimableWhenTheEventComes() {
    suspend(task, true, waitFor("go", 1, "go"));
    assertThat(kagzi.poll(worker, 1, Duration.ofMillis(100))).isEmpty();

    send(event("go", 7));

    Task again = kagzi.pollOne(worker);
    assertThat(again.history())
        .singleElement()
        .satisfies(step -> {
          assertThat(output(step)).isEqualTo("7");
          assertThat(step.settled()).isTrue();
          assertThat(step.waiting().eventName()).isEqualTo("go");
        });
  }

  @Test
  void aWaitWhoseTimeIsUpEndsWithoutAnEvent() {
    Instant soon = kagzi.engine().clock().instant().plusMillis(100);
    suspend(task, true, WaitRequest.event("go", 1, "go", soon));

    Task again = kagzi.pollOne(worker);

    assertThat(again.history())
        .singleElement()
        .satisfies(step -> {
          assertThat(step.settled()).isTrue();
          assertThat(step.waiting().timedOut()).isTrue();
          assertThat(step.output()).isNull();
        });
    send(event("go", 1));
    SuspendOutcome next = suspend(again, true, waitFor("go#2", 2, "go"));
    assertThat(output(next.waits().get(0).ended())).isEqualTo("1");
  }

  @Test
  void theWorkerThatKeepsTheRunIsToldOfIt() throws Exception {
    BlockingQueue<NewsSignals.EndedWaits> heard = new LinkedBlockingQueue<>();
    kagzi.engine().news().listen(worker, heard::add);
    suspend(task, false, waitFor("go", 1, "go"));

    send(event("go", 1));

    NewsSignals.EndedWaits news = heard.poll(5, TimeUnit.SECONDS);
    assertThat(news).isNotNull();
    assertThat(news.runId()).isEqualTo(runId);
    assertThat(news.epoch()).isEqualTo(task.claim().epoch());
    assertThat(news.stepKeys()).containsExactly("go");
    assertThat(status()).isEqualTo(RunStatus.RUNNING);
  }

  @Test
  void anEventIsDeliveredOnceForEachKeyAlsoAfterTheRunHasEnded() {
    EventMessage once = event("go", 1);

    assertThat(send(once)).isEqualTo(EventOutcome.DELIVERED);
    assertThat(send(once)).isEqualTo(EventOutcome.ALREADY_DELIVERED);
    kagzi.engine().tasks().finish(fence(task), new RunEnding.Completed(payload("1")));
    assertThat(send(once)).isEqualTo(EventOutcome.ALREADY_DELIVERED);
    assertThatThrownBy(() -> send(event("go", 2)))
        .isInstanceOfSatisfying(
            EngineException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.RUN_TERMINAL))
        .hasMessageContaining(runId.toString());
  }

  @Test
  void anUnknownRunIsNotFound() {
    assertThatThrownBy(() -> messages.send(NAMESPACE, new RunId(UUID.randomUUID()), event("go", 1)))
        .isInstanceOfSatisfying(
            EngineException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.RUN_NOT_FOUND));
  }

  @Test
  void aRunKeepsNoMoreEventsThanItMay() {
    kagzi.execute(
        """
        INSERT INTO kagzi.run_events (run_id, namespace_id, event_name, idempotency_key, sent_at)
        SELECT '%s', 'default', 'go', 'filler-' || i, now() FROM generate_series(1, %d) AS i
        """
            .formatted(runId, MOST_EVENTS - 1));
    EventMessage last = event("go", 1);
    assertThat(send(last)).isEqualTo(EventOutcome.DELIVERED);

    assertThatThrownBy(() -> send(event("go", 2)))
        .isInstanceOfSatisfying(
            EngineException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.TOO_MANY_EVENTS))
        .hasMessageContaining(runId.toString())
        .hasMessageContaining("10000");
    assertThat(send(last)).isEqualTo(EventOutcome.ALREADY_DELIVERED);
    suspend(task, true, waitFor("go", 1, "go"));
    assertThat(send(event("go", 2))).isEqualTo(EventOutcome.DELIVERED);
  }

  @Test
  void eventsOfOneSenderKeepTheirOrderInAndAcrossBatches() throws Exception {
    try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> senders = new ArrayList<>();
      for (int sender = 0; sender < 4; sender++) {
        int base = sender * 100;
        senders.add(
            executor.submit(() -> {
              for (int i = 0; i < 50; i++) {
                send(event("go", base + i));
              }
            }));
      }
      for (Future<?> sender : senders) {
        sender.get();
      }
    }

    int[] next = {0, 100, 200, 300};
    for (int i = 1; i <= 200; i++) {
      SuspendOutcome outcome = suspend(task, true, waitFor("go#" + i, i, "go"));
      int number = Integer.parseInt(String.valueOf(output(outcome.waits().get(0).ended())));
      assertThat(number).isEqualTo(next[number / 100]++);
    }
    assertThat(next).containsExactly(50, 150, 250, 350);
  }

  @Test
  void anEventAndTheWaitForItNeverMissEachOther() throws Exception {
    race(200);
  }

  @Test
  @Tag("soak")
  void anEventAndTheWaitForItNeverMissEachOtherInAThousandRaces() throws Exception {
    race(1000);
  }

  private void race(int races) throws Exception {
    int found = 0;
    try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 1; i <= races; i++) {
        String key = "go#" + i;
        int seq = i;
        Task held = task;
        // Within one server the lane of the run keeps the two apart; two servers have only the
        // lock.
        Messages sending = (i % 4 == 0 ? kagzi : other).engine().messages();
        var together = new CyclicBarrier(2);
        Future<?> sender =
            executor.submit(() -> {
              together.await();
              return sending.send(NAMESPACE, runId, event("go", seq));
            });
        together.await();
        SuspendOutcome outcome = suspend(held, true, waitFor(key, seq, "go"));
        sender.get();
        if (outcome.released()) {
          task = kagzi.pollOne(worker);
        } else {
          found++;
        }
        assertThat(unconsumed()).as("race %d", i).isZero();
      }
    }
    System.out.printf("%d of %d waits found their event, the others were woken%n", found, races);
    assertThat(history(task).stream().map(step -> output(step)).toList())
        .hasSize(races)
        .doesNotContainNull()
        .doesNotHaveDuplicates();
  }

  private int unconsumed() {
    return kagzi
        .database()
        .inTransaction(tx ->
            tx.query(
                    """
                    SELECT count(*)::int4 AS n FROM kagzi.run_events e
                    JOIN kagzi.run_waits w ON w.run_id = e.run_id AND w.event_name = e.event_name
                    WHERE e.run_id = :runId AND e.consumed_by IS NULL
                    """)
                .set("runId", runId.value())
                .only(row -> row.integer("n")));
  }

  @Test
  void theEndOfARunCancelsItsWaitAndLeavesLaterEventsAlone() {
    suspend(task, false, waitFor("go", 1, "go"));
    kagzi.engine().tasks().finish(fence(task), new RunEnding.Completed(payload("1")));

    assertThatThrownBy(() -> send(event("go", 1))).isInstanceOf(EngineException.class);
  }

  @Test
  void aRetryGivesBackWhatTheSupersededStepsHaveConsumed() {
    send(event("go", 1));
    send(event("go", 2));
    suspend(task, false, waitFor("go", 1, "go"));
    suspend(task, false, waitFor("go#2", 2, "go"));
    Failure bad =
        new Failure(
            ErrorKind.UNKNOWN, "java.lang.Exception", List.of(), "cannot be read", "", null);
    kagzi.engine().tasks().finish(fence(task), new RunEnding.Failed(bad, "go#2"));

    kagzi.engine().retries().retry(NAMESPACE, runId, null);

    Task again = kagzi.pollOne(worker);
    assertThat(output(again.history().get(0))).isEqualTo("1");
    SuspendOutcome second = suspend(again, true, waitFor("go#2", 2, "go"));
    assertThat(output(second.waits().get(0).ended())).isEqualTo("2");
  }

  @Test
  void aStartBringsItsEventOnceAndToTheRunThatIsThere() {
    RunId requestId = new RunId(new TimeOrderedIds(kagzi.engine().clock()).next());
    EventMessage first = event("go", 1);
    var request =
        TestEngine.request().taskQueue("nobody").externalId("order-1").requestId(requestId);
    messages.start(request.firstEvent(first).build());
    messages.start(request.firstEvent(first).build());
    StartOutcome found =
        messages.start(
            TestEngine.request()
                .taskQueue("nobody")
                .externalId("order-1")
                .firstEvent(event("go", 2))
                .build());

    assertThat(found).isInstanceOf(StartOutcome.AlreadyExists.class);
    assertThat(found.runId()).isEqualTo(requestId);
    assertThat(eventsOf(requestId)).containsExactly("1", "2");
    assertThat(messages.send(NAMESPACE, "order-1", event("go", 3)).runId()).isEqualTo(requestId);
    assertThat(eventsOf(requestId)).containsExactly("1", "2", "3");
    kagzi.engine().workflows().terminate(NAMESPACE, requestId, "");
    kagzi.engine().runLists().delete(NAMESPACE, requestId);
    assertThat(eventsOf(requestId)).isEmpty();
  }

  private List<String> eventsOf(RunId run) {
    return kagzi
        .database()
        .inTransaction(tx ->
            tx.query("SELECT payload FROM kagzi.run_events WHERE run_id = :runId ORDER BY position")
                .set("runId", run.value())
                .list(row -> new String(row.bytes("payload"), StandardCharsets.UTF_8)));
  }

  private boolean publish(String name, @Nullable String value, long sequence) {
    return kagzi
        .engine()
        .tasks()
        .publish(
            new Publication(fence(task), name, value == null ? null : payload(value), sequence))
        .outcome();
  }

  private List<String> shown() {
    return messages.states(NAMESPACE, runId, List.of()).states().stream()
        .map(state -> state.name() + new String(state.value().data(), StandardCharsets.UTF_8))
        .toList();
  }

  @Test
  void anOlderValueNeverReplacesANewer() {
    assertThat(publish("a", "5", 5)).isTrue();
    assertThat(publish("a", "4", 4)).isFalse();
    assertThat(publish("a", "5", 5)).isTrue();
    assertThat(publish("b", "1", 1)).isTrue();
    assertThat(shown()).containsExactly("a5", "b1");

    publish("a", null, 6);
    assertThat(publish("a", "5", 5)).isFalse();
    kagzi.engine().tasks().finish(fence(task), new RunEnding.Completed(payload("1")));
    assertThat(shown()).containsExactly("b1");
    assertThatThrownBy(() -> publish("a", "7", 7)).isInstanceOf(EngineException.class);
  }

  @Test
  void aRunUsesNoMoreNamesThanItMay() {
    for (int i = 1; i <= 100; i++) {
      publish("name-" + i, "1", i);
    }

    assertThatThrownBy(() -> publish("one too many", "1", 101))
        .isInstanceOfSatisfying(
            EngineException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.TOO_MANY_STATES));
    assertThat(publish("name-1", "2", 101)).isTrue();
  }
}
