package dev.kagzi.engine;

import static dev.kagzi.engine.ScheduleFixture.EVERY_MINUTE;
import static dev.kagzi.engine.ScheduleFixture.START;
import static dev.kagzi.engine.TestEngine.NAMESPACE;
import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.payload;
import static dev.kagzi.engine.TestEngine.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.core.ErrorKind;
import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.engine.domain.ChildItems;
import dev.kagzi.engine.domain.ChildMap;
import dev.kagzi.engine.domain.ChildStep;
import dev.kagzi.engine.domain.Failure;
import dev.kagzi.engine.domain.ForkRequest;
import dev.kagzi.engine.domain.OverlapPolicy;
import dev.kagzi.engine.domain.Parent;
import dev.kagzi.engine.domain.ParentClosePolicy;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunPolicies;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.RunTarget;
import dev.kagzi.engine.domain.Schedule;
import dev.kagzi.engine.domain.StepStatus;
import dev.kagzi.engine.domain.StepTraits;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.Telemetry;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.faults.FaultyDataSource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Telemetry hears of everything that is committed, and of nothing else. */
class TelemetryTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Failure ERROR =
      new Failure(ErrorKind.UNKNOWN, "Error", List.of(), "no", "", null);

  private final Map<String, Integer> heard = new ConcurrentHashMap<>();
  private final Telemetry recorder =
      new Telemetry() {
        @Override
        public void runStarted(RunTarget run) {
          heard.merge("started " + run.workflowType(), 1, Integer::sum);
        }

        @Override
        public void runFinished(RunTarget run, RunStatus status, Duration took) {
          heard.merge("finished " + status, 1, Integer::sum);
        }

        @Override
        public void attemptEnded(String type, String step, StepStatus status, Duration took) {
          heard.merge("attempt " + status, 1, Integer::sum);
        }

        @Override
        public void askedForWork(boolean found, Duration took) {
          heard.merge(found ? "asked" : "asked in vain", 1, Integer::sum);
        }

        @Override
        public void newsReceived() {
          heard.merge("received", 1, Integer::sum);
        }

        @Override
        public void newsMissed() {
          heard.merge("missed", 1, Integer::sum);
        }
      };

  private HikariDataSource pool;

  @BeforeEach
  void migrate() {
    pool = TestEngine.migratedDatabase();
  }

  @AfterEach
  void close() {
    pool.close();
  }

  private Engine start(DataSource dataSource) {
    return Engine.start(dataSource, pool, EngineConfig.defaults(), recorder);
  }

  private void awaitHeard(String what, int times) {
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(heard).containsEntry(what, times));
  }

  @Test
  void hearsOfRunsHoweverTheyAreStarted() {
    try (Engine engine = start(pool)) {
      TestEngine kagzi = TestEngine.around(engine, pool);
      WorkerId worker = kagzi.registerWorker();
      kagzi.startRun();
      Task parent = kagzi.pollOne(worker);
      awaitHeard("started process-order", 1);

      Parent byChild = new Parent(parent.claim().runId(), "ship", ParentClosePolicy.ABANDON);
      ChildStep step = new ChildStep("ship", 1, 1, null, StepTraits.NONE);
      for (int i = 0; i < 2; i++) {
        engine.children().start(fence(parent), worker, step, request().parent(byChild).build());
      }
      awaitHeard("started process-order", 2);

      ChildMap map = new ChildMap(request().build(), ParentClosePolicy.ABANDON, 2);
      ChildItems items = new ChildItems(0, List.of(payload("1"), payload("2"), payload("3")), true);
      engine.children().startMap(fence(parent), "map", map, items);
      awaitHeard("started process-order", 4);

      for (Task child : kagzi.poll(worker, 3, Duration.ofSeconds(5))) {
        engine.tasks().finish(fence(child), new RunEnding.Completed(payload("1")));
      }
      awaitHeard("started process-order", 5);
      awaitHeard("finished COMPLETED", 3);

      engine.tasks().finish(fence(parent), new RunEnding.Continued(payload("2"), null, null));
      awaitHeard("started process-order", 6);
      awaitHeard("finished COMPLETED", 4);

      ForkRequest fork =
          new ForkRequest(NAMESPACE, parent.claim().runId(), null, null, ForkRequest.Changes.NONE);
      engine.forks().fork(fork);
      awaitHeard("started process-order", 7);
    }
  }

  @Test
  void hearsOfRunsThatSchedulesStart() {
    try (Engine engine = start(pool)) {
      TestEngine kagzi = TestEngine.around(engine, pool);
      Schedule.Definition definition =
          ScheduleFixture.definition("n", EVERY_MINUTE, "UTC", 2, OverlapPolicy.ALLOW);
      RunId id = ScheduleFixture.ahead(kagzi, definition, START);

      engine.scheduling().firings().fire(id, START.plus(Duration.ofMinutes(3)), 100);
      awaitHeard("started process-order", 2);

      RunId asked = new RunId(new TimeOrderedIds(engine.clock()).next());
      for (int i = 0; i < 2; i++) {
        engine.scheduling().manual().trigger(NAMESPACE, "n", asked);
      }
      awaitHeard("started process-order", 3);
    }
  }

  @Test
  void hearsOfTheHandlerOfAFailure() {
    try (Engine engine = start(pool)) {
      TestEngine kagzi = TestEngine.around(engine, pool);
      WorkerId worker = kagzi.registerWorker();
      var policies = new RunPolicies(null, null, null, null, "apologise", null);
      engine.workflows().start(request().policies(policies).build());
      Task task = kagzi.pollOne(worker);

      engine.tasks().finish(fence(task), new RunEnding.Failed(ERROR, null, true, null));

      awaitHeard("started apologise", 1);
      awaitHeard("finished FAILED", 1);
    }
  }

  @Test
  void hearsOnceOfWhatWasUndoneAndDoneAgain() {
    int runs = 40;
    var faults = new FaultyDataSource(pool, "INSERT INTO kagzi.workflow_runs", 7, 30);
    try (Engine engine = start(faults.dataSource())) {
      for (int i = 0; i < runs; i++) {
        engine.workflows().start(request().build());
      }
    }

    int unsaid = faults.losses().getOrDefault(FaultyDataSource.Moment.AFTER_THE_COMMIT, 0);
    assertThat(faults.losses().get(FaultyDataSource.Moment.BEFORE_THE_COMMIT)).isPositive();
    // Of a commit that nobody confirmed nothing is heard: too little rather than too much.
    assertThat(heard.get("started process-order")).isBetween(runs - unsaid, runs);
  }

  @Test
  void hearsOfWorkThatNoNewsAnnounced() {
    try (Engine engine = start(pool)) {
      TestEngine kagzi = TestEngine.around(engine, pool);
      WorkerId worker = kagzi.registerWorker();
      engine.workflows().start(request().startDelay(Duration.ofHours(1)).build());
      var polled =
          CompletableFuture.supplyAsync(() -> kagzi.poll(worker, 1, Duration.ofSeconds(20)));
      awaitHeard("asked in vain", 1);

      kagzi.execute("UPDATE kagzi.workflow_runs SET available_at = now() - interval '1 s'");

      assertThat(polled.join()).hasSize(1);
      awaitHeard("missed", 1);
    }
  }

  @Test
  void hearsOfNews() {
    try (Engine engine = start(pool)) {
      await().atMost(PATIENCE).until(engine::isListening);
      assertThat(heard).doesNotContainKey("received");

      TestEngine.around(engine, pool).execute("NOTIFY kagzi_work, 'of another server'");

      awaitHeard("received", 1);
    }
  }
}
