package dev.kagzi.engine.commit;

import static dev.kagzi.engine.TestEngine.NAMESPACE;
import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.request;
import static dev.kagzi.engine.TestEngine.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.core.RetryPolicy;
import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.engine.CountingDataSource;
import dev.kagzi.engine.TestEngine;
import dev.kagzi.engine.domain.NewRun;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.StepCap;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.Telemetry;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.wakeup.NotifyCoalescer;
import dev.kagzi.engine.wakeup.Signals;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Two batches want the same three things in opposite orders, and both wait in the middle for
 * somebody else: with locks taken as they come they would hold each other up for ever.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BatchOrderTest {

  private static final GroupCommit.Rules RULES =
      new GroupCommit.Rules(RetryPolicy.DEFAULT, new StepCap(50_000));

  private HikariDataSource pool;
  private CountingDataSource counting;
  private TestEngine kagzi;
  private NotifyCoalescer notifier;
  private BatchWriter writer;
  private TimeOrderedIds ids;

  @BeforeAll
  void start() {
    pool = TestEngine.migratedDatabase();
    counting = new CountingDataSource(pool);
    kagzi = TestEngine.on(pool);
    Database database = new Database(counting.dataSource());
    var clock = kagzi.engine().clock();
    notifier = new NotifyCoalescer(database);
    Signals signals = Signals.over(notifier, Telemetry.NONE);
    writer = new BatchWriter(database, clock, new Endings(clock), signals, RULES);
    ids = new TimeOrderedIds(clock);
  }

  @AfterAll
  void stop() {
    notifier.close();
    kagzi.close();
    pool.close();
  }

  private static <T> List<Ticket<Command<?>>> batch(List<? extends Command<T>> commands) {
    List<Ticket<Command<?>>> tickets = new ArrayList<>();
    commands.forEach(command -> tickets.add(new Ticket<>(command)));
    return tickets;
  }

  /** Writes both while somebody holds what a statement takes, who then lets go. */
  private void writeAround(
      String inTheMiddle, List<Ticket<Command<?>>> one, List<Ticket<Command<?>>> other)
      throws Exception {
    Thread first;
    Thread second;
    try (Connection holder = kagzi.connection();
        Statement statement = holder.createStatement()) {
      holder.setAutoCommit(false);
      statement.execute(inTheMiddle);
      first = Thread.ofPlatform().start(() -> writer.write(one));
      await().until(() -> waiting() == 1);
      second = Thread.ofPlatform().start(() -> writer.write(other));
      await().until(() -> waiting() == 2);
      holder.rollback();
      holder.setAutoCommit(true);
    }
    assertThat(first.join(Duration.ofSeconds(10))).isTrue();
    assertThat(second.join(Duration.ofSeconds(10))).isTrue();
    for (Ticket<Command<?>> ticket : one) {
      assertThat(ticket.answer()).succeedsWithin(10, TimeUnit.SECONDS);
    }
    assertThat(counting.deadlocks()).isZero();
  }

  private long waiting() {
    return kagzi
        .database()
        .inTransaction(tx ->
            tx.query(
                    "SELECT count(*) AS n FROM pg_stat_activity"
                        + " WHERE datname = current_database() AND wait_event_type = 'Lock'")
                .only(row -> row.bigint("n")));
  }

  @Test
  void locksAreTakenInOneOrderHoweverTheCommandsCome() throws Exception {
    List<RunId> runs = List.of(kagzi.startRun(), kagzi.startRun(), kagzi.startRun());

    writeAround(
        "SELECT 1 FROM kagzi.workflow_runs WHERE run_id = '%s' FOR UPDATE".formatted(runs.get(1)),
        batch(runs.stream().map(BatchOrderTest::cancel).toList()),
        batch(runs.reversed().stream().map(BatchOrderTest::cancel).toList()));
  }

  @Test
  void resultsLockInTheSameOrder() throws Exception {
    WorkerId worker = kagzi.registerWorker();
    List.of(1, 2, 3).forEach(number -> kagzi.startRun());
    List<Task> tasks = kagzi.poll(worker, 3, Duration.ofSeconds(10));
    List<RunId> runs = tasks.stream().map(task -> task.claim().runId()).toList();

    writeAround(
        "SELECT 1 FROM kagzi.workflow_runs WHERE run_id = '%s' FOR UPDATE".formatted(runs.get(1)),
        batch(tasks.stream().map(task -> complete(task, worker, "one")).toList()),
        batch(tasks.reversed().stream().map(task -> complete(task, worker, "other")).toList()));
  }

  private static Command.CompleteStep complete(Task task, WorkerId worker, String step) {
    return new Command.CompleteStep(fence(task), worker, result(step, "1"), List.of());
  }

  private static Command.Cancel cancel(RunId runId) {
    return new Command.Cancel(NAMESPACE, runId, "test", false);
  }

  @Test
  void externalIdsAreTakenInOneOrderHoweverTheStartsCome() throws Exception {
    List<String> names = List.of("a", "b", "c");

    writeAround(
        """
        INSERT INTO kagzi.workflow_runs (
          run_id, namespace_id, external_id, task_queue, workflow_type, version, status,
          available_at, created_at)
        VALUES (gen_random_uuid(), 'default', 'b', 'orders', 'process-order', '', 'PENDING',
          clock_timestamp(), clock_timestamp())
        """,
        batch(names.stream().map(this::start).toList()),
        batch(names.reversed().stream().map(this::start).toList()));
  }

  private Command.Start start(String externalId) {
    Instant now = kagzi.engine().clock().instant();
    return new Command.Start(
        new NewRun(
            new RunId(ids.next()), request().externalId(externalId).build(), now, now, null));
  }
}
