package dev.kagzi.e2e.failures;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.e2e.suite.Deployment;
import dev.kagzi.e2e.suite.DurabilitySuite;
import dev.kagzi.sdk.Retry;
import dev.kagzi.sdk.StepFailedException;
import dev.kagzi.sdk.WorkflowContext;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.WorkflowHandle;
import dev.kagzi.sdk.worker.Worker;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * As many steps compute for ever, heedless of any interruption, as there are processors: the worker
 * ends their attempts in time all the same, and then leaves its other runs to others.
 */
@ParameterizedClass
@Isolated
@EnumSource(Deployment.class)
class EndlessStepsTest extends DurabilitySuite {

  private static final int LOOPS = Runtime.getRuntime().availableProcessors();

  /** Long enough to be seen in the act. */
  private static final Duration DRAINING = Duration.ofSeconds(2);

  private static final Duration LOOK = Duration.ofMillis(20);

  private final Deployment deployment;
  private final WorkflowType<String, String> endless = freshType();
  private final WorkflowType<String, String> patient = freshType();
  private final WorkflowType<String, String> brief = freshType();
  private final AtomicBoolean mayEnd = new AtomicBoolean();
  private final AtomicInteger computing = new AtomicInteger();
  private final Map<String, Long> begun = new ConcurrentHashMap<>();
  private final AtomicInteger visits = new AtomicInteger();
  private final CountDownLatch waiting = new CountDownLatch(1);

  EndlessStepsTest(Deployment deployment) {
    super(deployment);
    this.deployment = deployment;
  }

  /** Nobody after this test shall have to share the processors with it. */
  @AfterEach
  void letThemEnd() {
    mayEnd.set(true);
    Awaitility.await().atMost(LIMIT).until(() -> computing.get() == 0);
  }

  @Test
  void endsAsManyEndlessAttemptsAsThereAreProcessorsAndLeavesTheRestToOthers() throws Exception {
    Worker stricken =
        begin(
            worker()
                .drainTimeout(DRAINING)
                .register(patient, this::waitOnTheFirstVisit)
                .register(endless, this::compute));
    WorkflowHandle<String> held = start(patient, "held");
    await(waiting, "the run that will be left to others waits in its step");
    var ends = IntStream.range(0, LOOPS).mapToObj(i -> start(endless, "")).toList();
    Awaitility.await().atMost(LIMIT).until(() -> computing.get() == LOOPS);
    String strickenId = stricken.workerId().orElseThrow();
    begin(
        worker()
            .register(patient, this::waitOnTheFirstVisit)
            .register(brief, (ctx, in) -> ctx.step("echo", String.class, () -> in)));

    long since = System.nanoTime();
    assertThat(resultOf(start(brief, "beside"))).isEqualTo("beside");
    print("endless-run-beside", Duration.ofNanos(System.nanoTime() - since));
    for (WorkflowHandle<String> end : ends) {
      String[] outcome = resultOf(end).split(" ", 2);
      Duration took = Duration.ofNanos(Long.parseLong(outcome[1]));
      print("endless-attempt-ended", took);
      assertThat(outcome[0]).isEqualTo("TIMEOUT");
      assertThat(took).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(6));
    }
    long ended = System.nanoTime();
    Awaitility.await()
        .pollInterval(LOOK)
        .atMost(LIMIT)
        .until(() -> statusOf(strickenId).equals("DRAINING"));
    print("endless-drains-after", Duration.ofNanos(System.nanoTime() - ended));
    assertThat(resultOf(held)).isEqualTo("visit 2");
    print("endless-goes-on-elsewhere-after", Duration.ofNanos(System.nanoTime() - ended));
    Awaitility.await().atMost(LIMIT).until(() -> statusOf(strickenId).equals("OFFLINE"));
    assertThat(computing).hasValue(LOOPS);
  }

  private String compute(WorkflowContext ctx, String input) {
    // Another thread goes over this again when the step has kept its own.
    long since = begun.computeIfAbsent(ctx.runId(), run -> System.nanoTime());
    try {
      ctx.step("loop").timeout("5s").retry(Retry.none()).run(this::computeForEver);
    } catch (StepFailedException e) {
      return e.kind() + " " + (System.nanoTime() - since);
    }
    return "it ended";
  }

  private void computeForEver() {
    computing.incrementAndGet();
    while (!mayEnd.get()) {
      Thread.onSpinWait();
    }
    computing.decrementAndGet();
  }

  private String waitOnTheFirstVisit(WorkflowContext ctx, String input) {
    return ctx.step(
        "visit",
        String.class,
        () -> {
          int visit = visits.incrementAndGet();
          if (visit == 1) {
            waiting.countDown();
            new CountDownLatch(1).await();
          }
          return "visit " + visit;
        });
  }

  private String statusOf(String workerId) throws SQLException {
    try (var connection = DriverManager.getConnection(home().jdbcUrl());
        var query =
            connection.prepareStatement(
                "SELECT status FROM kagzi.workers WHERE worker_id = ?::uuid")) {
      query.setString(1, workerId);
      try (var rows = query.executeQuery()) {
        return rows.next() ? rows.getString(1) : "gone";
      }
    }
  }

  private void print(String name, Duration value) {
    System.out.printf(
        Locale.ROOT, "figure: %s-%s %.2f s%n", name, deployment, value.toMillis() / 1000.0);
  }
}
