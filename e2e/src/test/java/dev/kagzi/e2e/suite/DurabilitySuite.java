package dev.kagzi.e2e.suite;

import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.kagzi.e2e.suite.Deployment.Home;
import dev.kagzi.sdk.RunStatus;
import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.WorkflowFailedException;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.KagziClient;
import dev.kagzi.sdk.client.WorkflowHandle;
import dev.kagzi.sdk.worker.Worker;
import dev.kagzi.sdk.worker.WorkerBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/**
 * What the tests of the suite share: a server of the deployment under test, and for each test a
 * client, a task queue and workflow types that no other test knows.
 */
public abstract class DurabilitySuite {

  /** No test comes near it unless something hangs. */
  protected static final Duration LIMIT = Deployment.patience(Duration.ofSeconds(30));

  private static final AtomicInteger NAMES = new AtomicInteger();

  private final List<Worker> workers = new ArrayList<>();
  private final String queue = freshName("queue");
  private final Home home;
  protected final KagziClient client;

  protected DurabilitySuite(Deployment deployment) {
    this(deployment.shared());
  }

  /** For tests that need a server of their own. */
  protected DurabilitySuite(Home home) {
    this.home = home;
    this.client = KagziClient.connect(home.address());
  }

  protected Home home() {
    return home;
  }

  @AfterEach
  void leave() {
    workers.forEach(Worker::stop);
    client.close();
  }

  protected static String freshName(String kind) {
    return kind + "-" + NAMES.incrementAndGet();
  }

  /** A workflow type from text to text that only this test knows. */
  protected static WorkflowType<String, String> freshType() {
    return WorkflowType.of(freshName("type"), String.class, String.class);
  }

  /** A worker for the test's queue that hands back what it holds as soon as it is stopped. */
  protected WorkerBuilder worker() {
    return Worker.builder(home.address(), queue).drainTimeout(Duration.ZERO);
  }

  protected Worker begin(WorkerBuilder builder) {
    Worker worker = builder.build();
    workers.add(worker);
    worker.start();
    return worker;
  }

  protected <I, O> Worker serve(WorkflowType<I, O> type, Workflow<I, O> workflow) {
    return begin(worker().register(type, workflow));
  }

  protected <I, O> WorkflowHandle<O> start(WorkflowType<I, O> type, I input) {
    return client.start(type).queue(queue).input(input).send();
  }

  protected String queue() {
    return queue;
  }

  protected static <O extends @Nullable Object> O resultOf(WorkflowHandle<O> handle) {
    try {
      return handle.result(LIMIT);
    } catch (TimeoutException e) {
      throw new AssertionError(e.getMessage() + ": it is " + handle.status(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  /** How a run failed that must fail. */
  protected static WorkflowFailedException failureOf(WorkflowHandle<?> handle) {
    return Objects.requireNonNull(
        catchThrowableOfType(WorkflowFailedException.class, () -> resultOf(handle)),
        "the run did not fail");
  }

  protected static void awaitStatus(WorkflowHandle<?> handle, RunStatus status) {
    Awaitility.await().atMost(LIMIT).until(handle::status, status::equals);
  }

  protected static void awaitIdle(Worker worker) {
    Awaitility.await().atMost(LIMIT).until(worker::activeCount, held -> held == 0);
  }

  protected static void await(CountDownLatch latch, String what) throws InterruptedException {
    if (!latch.await(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
      throw new AssertionError("did not happen: " + what);
    }
  }
}
