package dev.kagzi.e2e.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.sdk.Page;
import dev.kagzi.sdk.QueueView;
import dev.kagzi.sdk.RequestRefusedException;
import dev.kagzi.sdk.RunStatus;
import dev.kagzi.sdk.VersionedType;
import dev.kagzi.sdk.WorkerDetails;
import dev.kagzi.sdk.WorkerDetails.Event;
import dev.kagzi.sdk.WorkerDetails.HeldRun;
import dev.kagzi.sdk.WorkerFilter;
import dev.kagzi.sdk.WorkerView;
import dev.kagzi.sdk.WorkerView.Status;
import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.WorkflowHandle;
import dev.kagzi.sdk.worker.Worker;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
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

  @Test
  void areListedAndShownWithWhatTheyHold() throws Exception {
    Worker online =
        begin(
            worker()
                .maxConcurrent(3)
                .label("deployment", "blue")
                .register(
                    type,
                    (ctx, in) -> {
                      began.countDown();
                      await(mayEnd, "the worker is looked at");
                      return in;
                    }));
    Worker gone = serve(type, (ctx, in) -> in);
    String goneId = gone.workerId().orElseThrow();
    gone.stop();
    WorkflowHandle<String> handle = start(type, "held");
    await(began, "the run is held");
    String id = online.workerId().orElseThrow();
    WorkerFilter here = WorkerFilter.all().queue(queue());

    WorkerDetails shown = client.workers().get(id);
    List<WorkerView> offline = client.workers().list(here.status(Status.OFFLINE)).all();
    Page<WorkerView> newest = client.workers().list(here).page(1);
    Page<WorkerView> older = client.workers().list(here).page(1, newest.next().orElseThrow());
    mayEnd.countDown();

    assertThat(shown.worker().status()).isEqualTo(Status.ONLINE);
    assertThat(shown.worker().health()).isEqualTo(WorkerView.Health.HEALTHY);
    assertThat(shown.worker().queue()).isEqualTo(queue());
    assertThat(shown.worker().slots()).isEqualTo(3);
    assertThat(shown.worker().types()).containsExactly(new VersionedType(type.name(), ""));
    assertThat(shown.worker().labels()).containsEntry("deployment", "blue");
    assertThat(shown.worker().leftAt()).isEmpty();
    assertThat(shown.worker().origin().pid()).isEqualTo(ProcessHandle.current().pid());
    assertThat(shown.runs()).extracting(HeldRun::runId).containsExactly(handle.runId());
    assertThat(shown.events()).extracting(Event::kind).containsExactly(Event.Kind.STARTED);
    assertThat(offline).extracting(WorkerView::id).containsExactly(goneId);
    assertThat(offline.getFirst().leftAt()).isPresent();
    assertThat(newest.items()).extracting(WorkerView::id).containsExactly(goneId);
    assertThat(older.items()).extracting(WorkerView::id).containsExactly(id);
    assertThat(client.workers().list()).extracting(WorkerView::id).contains(id, goneId);
    assertThat(resultOf(handle)).isEqualTo("held");
  }

  @Test
  void leaveWhenTheyAreAskedTo() throws Exception {
    Worker drained =
        begin(
            worker()
                .drainTimeout(LIMIT)
                .register(
                    type,
                    (ctx, in) -> {
                      began.countDown();
                      await(mayEnd, "the worker drains");
                      return in;
                    }));
    String id = drained.workerId().orElseThrow();
    WorkflowHandle<String> handle = start(type, "finished");
    await(began, "the run is held");

    WorkerView asked = client.workers().drain(id, "deploy");
    mayEnd.countDown();

    assertThat(asked.status()).isEqualTo(Status.DRAINING);
    assertThat(resultOf(handle)).isEqualTo("finished");
    Awaitility.await()
        .atMost(LIMIT)
        .until(() -> client.workers().get(id).worker().status(), Status.OFFLINE::equals);
    assertThat(client.workers().get(id).events())
        .anySatisfy(event -> {
          assertThat(event.kind()).isEqualTo(Event.Kind.STOPPING);
          assertThat(event.message()).contains("deploy");
        });
  }

  @Test
  void loseTheirRunsWhenTheyAreTakenOffline() throws Exception {
    Workflow<String, String> hangsAtFirst =
        (ctx, in) -> {
          if (executions.incrementAndGet() == 1) {
            began.countDown();
            await(mayEnd, "the run goes on elsewhere");
          }
          return in;
        };
    String hanging = serve(type, hangsAtFirst).workerId().orElseThrow();
    WorkflowHandle<String> handle = start(type, "elsewhere");
    await(began, "the run is held");
    serve(type, hangsAtFirst);

    WorkerView offline = client.workers().takeOffline(hanging, "hangs");

    assertThat(offline.status()).isEqualTo(Status.OFFLINE);
    assertThat(resultOf(handle)).isEqualTo("elsewhere");
    assertThat(executions).hasValue(2);
    mayEnd.countDown();
  }

  @Test
  void areRefusedByAnIdThatNobodyHas() {
    String nobody = new TimeOrderedIds(InstantSource.system()).next().toString();

    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            () -> client.workers().get(nobody), () -> client.workers().drain(nobody, ""))) {
      assertThatThrownBy(call)
          .isInstanceOfSatisfying(
              RequestRefusedException.class,
              refused -> assertThat(refused.reason()).isEqualTo("WORKER_NOT_FOUND"))
          .hasMessageContaining(nobody);
    }
    assertThatThrownBy(() -> client.workers().get("w-1"))
        .isInstanceOf(RequestRefusedException.class)
        .hasMessageContaining("worker_id");
  }

  @Test
  void makeUpAQueueTogetherWithWhatWaitsThere() {
    WorkflowHandle<String> sleeping = start(type, "1h");
    WorkflowHandle<String> done = start(type, "1ms");
    QueueView unserved = client.queues().get(queue()).orElseThrow();
    begin(
        worker()
            .maxConcurrent(3)
            .register(
                type,
                (ctx, in) -> {
                  ctx.sleep("nap", in);
                  return in;
                }));

    assertThat(resultOf(done)).isEqualTo("1ms");
    awaitStatus(sleeping, RunStatus.SLEEPING);
    Awaitility.await()
        .atMost(LIMIT)
        .untilAsserted(() -> {
          QueueView served = client.queues().get(queue()).orElseThrow();
          assertThat(served.ready()).isZero();
          assertThat(served.oldestReadyAt()).isEmpty();
          assertThat(served.running()).isZero();
          assertThat(served.sleeping()).isEqualTo(1);
          assertThat(served.workersOnline()).isEqualTo(1);
          assertThat(served.slotsTotal()).isEqualTo(3);
          assertThat(served.slotsUsed()).isZero();
          assertThat(served.unserved()).isEmpty();
        });
    assertThat(unserved.ready()).isEqualTo(2);
    assertThat(unserved.oldestReadyAt()).isPresent();
    assertThat(unserved.workersOnline()).isZero();
    assertThat(unserved.unserved()).containsExactly(new VersionedType(type.name(), ""));
    assertThat(client.queues().list()).extracting(QueueView::name).contains(queue());
    assertThat(client.queues().get(freshName("nowhere"))).isEmpty();
    sleeping.cancel();
  }
}
