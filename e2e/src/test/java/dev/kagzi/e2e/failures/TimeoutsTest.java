package dev.kagzi.e2e.failures;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.e2e.suite.Deployment;
import dev.kagzi.e2e.suite.DurabilitySuite;
import dev.kagzi.sdk.ErrorKind;
import dev.kagzi.sdk.Retry;
import dev.kagzi.sdk.RunStatus;
import dev.kagzi.sdk.StepFailedException;
import dev.kagzi.sdk.WorkflowFailedException;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.WorkflowHandle;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@Isolated
@EnumSource(Deployment.class)
class TimeoutsTest extends DurabilitySuite {

  private final WorkflowType<String, String> type;
  private final Deployment deployment;
  private final AtomicInteger executions = new AtomicInteger();
  private final CountDownLatch began = new CountDownLatch(1);
  private final CountDownLatch interrupted = new CountDownLatch(1);

  TimeoutsTest(Deployment deployment) {
    super(deployment);
    this.deployment = deployment;
    this.type = WorkflowType.of(freshName("timeouts-" + deployment), String.class, String.class);
  }

  @Test
  @Tag("soak")
  void endsAnAttemptThatComputesForEverWhileOtherRunsGoOn() {
    var mayEnd = new AtomicBoolean();
    WorkflowType<String, String> other = freshType();
    begin(
        worker()
            .register(other, (ctx, in) -> ctx.step("echo", String.class, () -> in))
            .register(
                type,
                (ctx, in) -> {
                  long since = System.nanoTime();
                  try {
                    ctx.step("loop").timeout("5s").retry(Retry.none()).run(() -> compute(mayEnd));
                  } catch (StepFailedException e) {
                    return e.kind() + " " + (System.nanoTime() - since);
                  }
                  return "it ended";
                }));
    try {
      WorkflowHandle<String> handle = start(type, "");
      long slowest = 0;
      for (int i = 0; i < 20; i++) {
        long since = System.nanoTime();
        assertThat(resultOf(start(other, "beside"))).isEqualTo("beside");
        slowest = Math.max(slowest, System.nanoTime() - since);
      }
      String[] outcome = resultOf(handle).split(" ", 2);

      Duration took = Duration.ofNanos(Long.parseLong(outcome[1]));
      print("stuck-step-attempt-ended", took);
      print("stuck-step-slowest-run-beside", Duration.ofNanos(slowest));
      assertThat(outcome[0]).isEqualTo("TIMEOUT");
      assertThat(took).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(6));
    } finally {
      mayEnd.set(true);
    }
  }

  private static void compute(AtomicBoolean mayEnd) {
    while (!mayEnd.get()) {
      Thread.onSpinWait();
    }
  }

  private void print(String name, Duration value) {
    System.out.printf(
        Locale.ROOT, "figure: %s-%s %.2f s%n", name, deployment, value.toMillis() / 1000.0);
  }

  @Test
  void interruptsAStepAtTheLimitOfItsRunAndTriesItAgain() throws Exception {
    serve(
        type,
        (ctx, in) ->
            ctx.step("hang once")
                .run(
                    String.class,
                    () -> {
                      if (executions.incrementAndGet() == 1) {
                        hang();
                      }
                      return "attempt " + executions.get();
                    }));

    WorkflowHandle<String> handle =
        client
            .start(type)
            .queue(queue())
            .stepTimeout("500ms")
            .retry(Retry.fixed(2, "5ms"))
            .input("")
            .send();

    assertThat(resultOf(handle)).isEqualTo("attempt 2");
    await(interrupted, "the first attempt is interrupted");
  }

  private void hang() throws InterruptedException {
    began.countDown();
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      interrupted.countDown();
      throw e;
    }
  }

  @Test
  void dropsWhatALateAttemptReturns() throws Exception {
    var late = new CountDownLatch(1);
    serve(
        type,
        (ctx, in) -> {
          String result =
              ctx.step("slow")
                  .timeout("300ms")
                  .retry(Retry.fixed(2, "5ms"))
                  .run(
                      String.class,
                      () -> {
                        if (executions.incrementAndGet() == 2) {
                          return "in time";
                        }
                        awaitStubbornly(began);
                        late.countDown();
                        return "too late";
                      });
          began.countDown();
          late.await();
          return result;
        });

    assertThat(resultOf(start(type, ""))).isEqualTo("in time");
  }

  private static void awaitStubbornly(CountDownLatch latch) {
    while (latch.getCount() > 0) {
      try {
        latch.await();
      } catch (InterruptedException ignored) {
        // What a stubborn step does.
      }
    }
  }

  @Test
  void endsARunThatTakesTooLongWhateverItDoes() throws Exception {
    WorkflowHandle<String> pending =
        client.start(freshType()).queue(queue()).timeout("1s").input("").send();
    serve(
        type,
        (ctx, in) -> {
          if (in.equals("sleeps")) {
            ctx.sleep("long", "1h");
          }
          ctx.step("hang", this::hang);
          return in;
        });
    WorkflowHandle<String> sleeping =
        client.start(type).queue(queue()).timeout("1s").input("sleeps").send();
    WorkflowHandle<String> running =
        client.start(type).queue(queue()).timeout("1s").input("hangs").send();

    assertTimedOut(pending);
    assertTimedOut(sleeping);
    assertTimedOut(running);
    await(interrupted, "the running step is interrupted");
  }

  @Test
  void endsARunAtItsDeadline() {
    Instant deadline = Instant.now().plusMillis(1500);
    WorkflowHandle<String> handle =
        client.start(type).queue(queue()).deadline(deadline).timeout("1h").input("").send();

    assertTimedOut(handle);
    assertThat(Instant.now()).isAfter(deadline);
  }

  private static void assertTimedOut(WorkflowHandle<?> handle) {
    WorkflowFailedException failure = failureOf(handle);
    assertThat(failure.status()).isEqualTo(RunStatus.TIMED_OUT);
    assertThat(failure.errorType()).isEqualTo(ErrorKind.TIMEOUT.text());
  }
}
