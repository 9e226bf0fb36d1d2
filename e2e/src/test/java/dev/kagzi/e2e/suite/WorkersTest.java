package dev.kagzi.e2e.suite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.sdk.RunStatus;
import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.WorkflowHandle;
import dev.kagzi.sdk.worker.Worker;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@Execution(ExecutionMode.CONCURRENT)
@EnumSource(Deployment.class)
class WorkersTest extends DurabilitySuite {

  private final WorkflowType<String, String> type;
  private final AtomicInteger executions = new AtomicInteger();
  private final CountDownLatch began = new CountDownLatch(1);
  private final CountDownLatch mayEnd = new CountDownLatch(1);

  WorkersTest(Deployment deployment) {
    super(deployment);
    this.type = WorkflowType.of(freshName("workers-" + deployment), String.class, String.class);
  }

  @Test
  void handsBackWhatItCannotFinishWhenItStops() throws Exception {
    Workflow<String, String> workflow =
        (ctx, in) -> {
          String first = ctx.step("first", String.class, () -> in + executions.incrementAndGet());
          ctx.step(
              "hang",
              () -> {
                began.countDown();
                mayEnd.await();
              });
          return first;
        };
    Worker stopping = serve(type, workflow);
    WorkflowHandle<String> handle = start(type, "settled ");
    await(began, "the step begins");

    long stopped = System.nanoTime();
    stopping.stop();
    mayEnd.countDown();
    serve(type, workflow);

    assertThat(resultOf(handle)).isEqualTo("settled 1");
    assertThat(Duration.ofNanos(System.nanoTime() - stopped))
        .isLessThan(Deployment.LEASE.dividedBy(2));
    assertThat(executions).hasValue(1);
  }

  @Test
  void finishesWhatItHoldsBeforeItLeaves() throws Exception {
    Worker stopping =
        begin(
            worker()
                .drainTimeout(LIMIT)
                .register(
                    type,
                    (ctx, in) -> {
                      ctx.step(
                          "slow",
                          () -> {
                            began.countDown();
                            mayEnd.await();
                          });
                      return ctx.step("last", String.class, () -> in);
                    }));
    WorkflowHandle<String> handle = start(type, "finished");
    await(began, "the step begins");

    Thread stop = Thread.ofVirtual().start(stopping::stop);
    WorkflowHandle<String> tooLate = start(type, "for another worker");
    mayEnd.countDown();
    stop.join(LIMIT);

    assertThat(handle.status()).isEqualTo(RunStatus.COMPLETED);
    assertThat(resultOf(handle)).isEqualTo("finished");
    assertThat(stopping.activeCount()).isZero();
    serve(type, (ctx, in) -> in);
    assertThat(resultOf(tooLate)).isEqualTo("for another worker");
  }

  @Test
  void sharesTheQueueWithOtherWorkers() {
    var together = new CyclicBarrier(2);
    Set<String> worked = ConcurrentHashMap.newKeySet();
    for (String name : new String[] {"one", "two"}) {
      begin(
          worker()
              .maxConcurrent(1)
              .register(
                  type,
                  (ctx, in) -> {
                    ctx.step(
                        "meet",
                        () -> {
                          worked.add(name);
                          together.await(LIMIT.toSeconds(), TimeUnit.SECONDS);
                        });
                    return in;
                  }));
    }

    WorkflowHandle<String> first = start(type, "a");
    WorkflowHandle<String> second = start(type, "b");

    assertThat(resultOf(first) + resultOf(second)).isEqualTo("ab");
    assertThat(worked).containsExactlyInAnyOrder("one", "two");
  }

  @Test
  void holdsNoMoreRunsThanItHasSlots() throws Exception {
    var inside = new AtomicInteger();
    var most = new AtomicInteger();
    var three = new CountDownLatch(3);
    begin(
        worker()
            .maxConcurrent(3)
            .register(
                type,
                (ctx, in) -> {
                  ctx.step(
                      "work",
                      () -> {
                        most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                        three.countDown();
                        mayEnd.await();
                        inside.decrementAndGet();
                      });
                  return in;
                }));
    var handles = new WorkflowHandle<?>[9];
    for (int i = 0; i < handles.length; i++) {
      handles[i] = start(type, "");
    }

    await(three, "three runs are executed at the same time");
    mayEnd.countDown();
    for (WorkflowHandle<?> handle : handles) {
      resultOf(handle);
    }

    assertThat(most).hasValue(3);
  }
}
