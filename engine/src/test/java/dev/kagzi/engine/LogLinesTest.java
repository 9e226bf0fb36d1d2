package dev.kagzi.engine;

import static dev.kagzi.engine.TestEngine.NAMESPACE;
import static dev.kagzi.engine.TestEngine.fence;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.kagzi.core.ErrorKind;
import dev.kagzi.core.RetryPolicy;
import dev.kagzi.engine.domain.Failure;
import dev.kagzi.engine.domain.OverlapPolicy;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.StepFailure;
import dev.kagzi.engine.domain.StepKind;
import dev.kagzi.engine.domain.StepTraits;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.loop.ScheduleFirer;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

/** What operators look for in the log: the words, the level and the fields. */
@Isolated
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LogLinesTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String SECRET = "card 4711";

  private final Logger logger = (Logger) LoggerFactory.getLogger("dev.kagzi.engine");
  private final Queue<ILoggingEvent> lines = new ConcurrentLinkedQueue<>();
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent line) {
          line.prepareForDeferredProcessing();
          lines.add(line);
        }
      };
  private TestEngine kagzi;

  @BeforeAll
  void start() {
    kagzi = TestEngine.start();
    appender.start();
    logger.addAppender(appender);
  }

  @BeforeEach
  void listen() {
    lines.clear();
    logger.setLevel(Level.DEBUG);
  }

  @AfterEach
  void clean() {
    logger.setLevel(null);
    kagzi.execute("DELETE FROM kagzi.workflow_runs");
  }

  @AfterAll
  void stop() {
    logger.detachAppender(appender);
    kagzi.close();
  }

  private ILoggingEvent line(String part) {
    return await()
        .atMost(PATIENCE)
        .until(
            () ->
                lines.stream()
                    .filter(line -> line.getFormattedMessage().contains(part))
                    .findFirst()
                    .orElse(null),
            line -> line != null);
  }

  private static StepFailure failure(int attempt, boolean forGood) {
    Failure error =
        new Failure(ErrorKind.UNKNOWN, "com.acme.Declined", List.of(), SECRET, "", null);
    RetryPolicy policy =
        new RetryPolicy(5, Duration.ofSeconds(7), 1, Duration.ofSeconds(60), List.of(), 0);
    return new StepFailure(
        "charge",
        attempt,
        1,
        StepKind.FUNCTION,
        null,
        error,
        policy,
        forGood,
        null,
        StepTraits.NONE);
  }

  @Test
  void aRunIsFollowedFromItsDispatchToTheFailureOfItsStep() {
    WorkerId worker = kagzi.registerWorker();
    RunId runId = kagzi.startRun();
    Task task = kagzi.pollOne(worker);
    kagzi.engine().tasks().failStep(fence(task), worker, failure(1, false));
    kagzi.engine().tasks().failStep(fence(task), worker, failure(2, true));

    ILoggingEvent dispatched = line("dispatched workflow process-order: run " + runId);
    assertThat(dispatched.getLevel()).isEqualTo(Level.DEBUG);
    assertThat(dispatched.getFormattedMessage()).contains("epoch 1", "to worker " + worker);
    assertThat(dispatched.getMDCPropertyMap())
        .containsEntry("kagzi.run_id", runId.toString())
        .containsEntry("kagzi.workflow_type", "process-order");

    ILoggingEvent again = line("step failed, scheduling retry: step charge of run " + runId);
    assertThat(again.getLevel()).isEqualTo(Level.DEBUG);
    assertThat(again.getFormattedMessage()).contains("attempt 1, delay_ms 7000, com.acme.Declined");
    assertThat(again.getMDCPropertyMap())
        .containsEntry("kagzi.run_id", runId.toString())
        .containsEntry("kagzi.step_id", "charge")
        .containsEntry("kagzi.attempt", "1");

    ILoggingEvent last = line("step failed for good: step charge of run " + runId);
    assertThat(last.getLevel()).isEqualTo(Level.INFO);
    assertThat(last.getMDCPropertyMap()).containsEntry("kagzi.attempt", "2");
    assertThat(lines).noneMatch(line -> line.getFormattedMessage().contains(SECRET));
  }

  @Test
  void theLifeOfAWorkerIsTold() {
    WorkerId worker = kagzi.registerWorker();
    kagzi.engine().workers().drain(NAMESPACE, worker);
    kagzi.engine().workers().deregister(NAMESPACE, worker);

    for (String said : List.of("registered", "is draining", "has left (deregistered)")) {
      assertThat(line("worker %s %s".formatted(worker, said)).getLevel()).isEqualTo(Level.INFO);
    }
  }

  @Test
  void lostWorkersAndLeasesAreTold() {
    WorkerId worker = kagzi.registerWorker();
    kagzi.startRun();
    kagzi.pollOne(worker);
    kagzi.execute("UPDATE kagzi.workers SET last_heartbeat_at = now() - interval '2 hours'");
    kagzi.engine().recovery().declareStaleDead(kagzi.engine().clock().instant().minusSeconds(60));

    ILoggingEvent offline = line("worker offline (no heartbeat)");
    assertThat(offline.getLevel()).isEqualTo(Level.INFO);
    assertThat(offline.getFormattedMessage()).contains(worker.toString(), "runs made free: 1");
  }

  @Test
  void ticksThatWereSkippedAreToldLouderThanThoseThatFired() {
    var definition =
        ScheduleFixture.definition(
            null, ScheduleFixture.EVERY_MINUTE, "UTC", 2, OverlapPolicy.ALLOW);
    RunId id = ScheduleFixture.ahead(kagzi, definition, ScheduleFixture.START);
    var firer = new ScheduleFirer(kagzi.engine().scheduling().firings(), 100, 1000);

    firer.runOnce(ScheduleFixture.START.plus(Duration.ofMinutes(5)));
    assertThat(line("schedule %s fired: 2 runs, 3 skipped ticks".formatted(id)).getLevel())
        .isEqualTo(Level.INFO);
    firer.runOnce(ScheduleFixture.START.plus(Duration.ofMinutes(6)));
    assertThat(line("schedule %s fired: 1 runs, 0 skipped ticks".formatted(id)).getLevel())
        .isEqualTo(Level.DEBUG);
  }
}
