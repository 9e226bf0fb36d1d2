package dev.kagzi.sdk.internal;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Timestamp;
import dev.kagzi.core.Durations;
import dev.kagzi.sdk.StepFn;
import dev.kagzi.v1.RegisterResponse;
import dev.kagzi.v1.RetryPolicy;
import dev.kagzi.v1.StepAttempt;
import dev.kagzi.v1.Task;
import dev.kagzi.v1.WorkHello;
import dev.kagzi.v1.WorkResponse;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AttemptTest {

  private static final Duration LIMIT = Duration.ofSeconds(10);

  private final StepThreads threads = new StepThreads(1);
  private final ServerConnection nowhere =
      ServerConnection.open(ServerAddress.parse("127.0.0.1:1", "test"));

  @AfterEach
  void close() {
    threads.close();
    nowhere.close();
  }

  private Attempt begin(StepFn<?> fn) {
    return begin(fn, null);
  }

  private Attempt begin(StepFn<?> fn, Attempt.@Nullable Notice notice) {
    var step = StepAttempt.newBuilder().setStepKey("step").build();
    var attempt = new Attempt(new RunPass(claim(), calls()), threads, step, fn, notice);
    attempt.start();
    return attempt;
  }

  private static ClaimedRun claim() {
    return new ClaimedRun(
        Task.getDefaultInstance(),
        new HeldRun("run", 1, LIMIT, System.nanoTime()),
        new EngineClock(Timestamp.getDefaultInstance(), System.nanoTime()),
        new RunRequests("default", "run", 1, () -> "worker"),
        ServerTerms.of(RegisterResponse.getDefaultInstance(), RetryPolicy.getDefaultInstance()));
  }

  /** Nobody answers, and nobody is asked. */
  private WorkerCalls calls() {
    return new WorkerCalls(
        nowhere,
        WorkHello::getDefaultInstance,
        new WorkerCalls.Listener() {
          @Override
          public void onNews(WorkResponse frame) {}

          @Override
          public void onReconnect() {}
        });
  }

  @Test
  void interruptsAStepButNotTheNextOneOnItsThread() throws Exception {
    Attempt first = begin(Thread::currentThread);
    var thread = (Thread) requireNonNull(first.await(LIMIT));
    Awaitility.await().atMost(LIMIT).until(() -> thread.getState() == Thread.State.TIMED_WAITING);
    var mayEnd = new CountDownLatch(1);
    Attempt second =
        begin(() -> {
          boolean undisturbed = mayEnd.await(LIMIT.toSeconds(), TimeUnit.SECONDS);
          return undisturbed && Thread.currentThread().equals(thread);
        });

    first.interrupt();
    mayEnd.countDown();

    assertThat(second.await(LIMIT)).isEqualTo(true);
  }

  @Test
  void interruptsAStepThatHasNotGotItsThreadYetWhenItGetsIt() throws Exception {
    var attempt =
        new Attempt(
            new RunPass(claim(), calls()),
            threads,
            StepAttempt.getDefaultInstance(),
            Thread::interrupted,
            null);

    attempt.interrupt();
    attempt.start();

    assertThat(attempt.await(LIMIT)).isEqualTo(true);
  }

  @Test
  void givesNoticeOnceOfAnAttemptThatGoesOn() throws Exception {
    var notices = new Semaphore(0);
    var mayEnd = new CountDownLatch(1);
    Attempt attempt =
        begin(
            () -> mayEnd.await(LIMIT.toSeconds(), TimeUnit.SECONDS),
            new Attempt.Notice(Duration.ofMillis(20), notices::release));

    assertThatThrownBy(() -> attempt.await(Duration.ofMillis(60)))
        .isInstanceOf(TimeoutException.class);
    assertThatThrownBy(() -> attempt.await(Duration.ofMillis(60)))
        .isInstanceOf(TimeoutException.class);
    mayEnd.countDown();

    assertThat(attempt.await(LIMIT)).isEqualTo(true);
    assertThat(notices.availablePermits()).isOne();
  }

  @Test
  void givesNoNoticeOfAnAttemptThatEndsBefore() throws Exception {
    var notices = new Semaphore(0);
    Attempt attempt = begin(() -> "soon", new Attempt.Notice(LIMIT, notices::release));

    assertThat(attempt.await(LIMIT.plusSeconds(1))).isEqualTo("soon");
    assertThat(notices.availablePermits()).isZero();
  }

  @Test
  void countsTheTimeBeforeTheNoticeTowardsItsLimit() {
    var notices = new Semaphore(0);
    var never = new CountDownLatch(1);
    var limit = Duration.ofMillis(1100);
    Attempt attempt =
        begin(
            () -> never.await(LIMIT.toSeconds(), TimeUnit.SECONDS),
            new Attempt.Notice(Duration.ofSeconds(1), notices::release));

    long began = System.nanoTime();
    assertThatThrownBy(() -> attempt.await(limit))
        .isInstanceOf(TimeoutException.class)
        .hasMessage("Step 'step' timed out after " + Durations.format(limit));
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isBetween(limit, limit.plusMillis(900));
    assertThat(notices.availablePermits()).isOne();
    never.countDown();
  }
}
