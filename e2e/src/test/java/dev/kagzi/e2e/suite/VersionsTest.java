package dev.kagzi.e2e.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kagzi.sdk.EventType;
import dev.kagzi.sdk.Explanation.Reason;
import dev.kagzi.sdk.RequestRefusedException;
import dev.kagzi.sdk.Retry;
import dev.kagzi.sdk.RunStatus;
import dev.kagzi.sdk.TypeVersions;
import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.WorkflowContext;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.WorkflowHandle;
import dev.kagzi.sdk.worker.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@Execution(ExecutionMode.CONCURRENT)
@EnumSource(Deployment.class)
class VersionsTest extends DurabilitySuite {

  private static final Duration NAP = Duration.ofMillis(400);

  private final WorkflowType<String, String> type;
  private final CountDownLatch mayEnd = new CountDownLatch(1);

  VersionsTest(Deployment deployment) {
    super(deployment);
    this.type = WorkflowType.of(freshName("versions-" + deployment), String.class, String.class);
  }

  /** Code that says which version it is, before and after a sleep. */
  private static Workflow<String, String> code(String version) {
    return (ctx, in) -> {
      String first = ctx.step("first", String.class, () -> version);
      ctx.sleep("nap", NAP);
      return first + version;
    };
  }

  @Test
  void oldRunsStayOnTheirVersionWhileNewOnesGetTheDefaultAndItCanBeTakenBack() {
    begin(worker().register(type, "1", code("a")).register(type, "2", code("b")));
    WorkflowHandle<String> old = start(type, "");
    awaitStatus(old, RunStatus.SLEEPING);

    assertThat(client.setDefaultVersion(type, "2")).isEqualTo("1");
    WorkflowHandle<String> fresh = start(type, "");
    WorkflowHandle<String> asked = client.start(type).queue(queue()).version("1").input("").send();
    assertThat(resultOf(old)).isEqualTo("aa");
    assertThat(resultOf(fresh)).isEqualTo("bb");
    assertThat(resultOf(asked)).isEqualTo("aa");

    assertThat(client.setDefaultVersion(type, "1")).isEqualTo("2");
    assertThat(client.setDefaultVersion(type, "1")).isEqualTo("1");
    assertThat(resultOf(start(type, ""))).isEqualTo("aa");
  }

  @Test
  void aLaterRegistrationDoesNotMoveTheDefault() {
    begin(worker().register(type, "1", code("a")));
    begin(worker().register(type, "2", code("b")));
    begin(worker().register(type, code("unversioned")));

    assertThat(resultOf(start(type, ""))).isEqualTo("aa");
    assertThat(client.versions(type).orElseThrow().defaultVersion()).isEqualTo("1");
  }

  @Test
  void noRunIsEverHandedToAWorkerOfAnotherVersion() {
    Queue<String> wrong = new ConcurrentLinkedQueue<>();
    for (String version : List.of("1", "2", "3")) {
      begin(
          worker()
              .register(
                  type,
                  version,
                  (ctx, in) -> {
                    ctx.sleep("between", Duration.ofMillis(20));
                    if (!in.equals(version)) {
                      wrong.add(in + " by " + version);
                    }
                    return version;
                  }));
    }
    List<WorkflowHandle<String>> runs = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      String version = String.valueOf(1 + i % 3);
      runs.add(client.start(type).queue(queue()).version(version).input(version).send());
    }

    for (int i = 0; i < runs.size(); i++) {
      assertThat(resultOf(runs.get(i))).isEqualTo(String.valueOf(1 + i % 3));
    }
    assertThat(wrong).isEmpty();
  }

  @Test
  void aRunOfAVersionThatNobodyServesWaitsAndIsExplainedUntilAWorkerComes() {
    begin(worker().register(type, "1", code("a")));
    WorkflowHandle<String> early = client.start(type).queue(queue()).version("2").input("").send();

    var explanation = early.explain();
    assertThat(explanation.reason()).isEqualTo(Reason.NO_WORKER_FOR_VERSION);
    assertThat(explanation.stuck()).isTrue();
    assertThat(explanation.text())
        .contains(
            queue(),
            "'%s' version '2'".formatted(type.name()),
            "they serve '%s' version '1'".formatted(type.name()));
    assertThat(explanation.suggestions()).isNotEmpty();
    assertThat(early.status()).isEqualTo(RunStatus.PENDING);

    begin(worker().register(type, "2", code("b")));
    assertThat(resultOf(early)).isEqualTo("bb");
    assertThat(early.explain().reason()).isEqualTo(Reason.FINISHED);
  }

  @Test
  void showsWhichVersionsAreServedAndWhichStillHaveRuns() {
    begin(worker().register(type, "1", code("a")).register(type, "2", code("b")));
    client.start(type).queue(queue()).version("3").input("").send();

    TypeVersions versions = client.versions(type).orElseThrow();

    assertThat(versions.defaultVersion()).isEqualTo("1");
    assertThat(versions.homeQueue()).isEqualTo(queue());
    assertThat(versions.versions())
        .containsExactly(
            new TypeVersions.Version("1", 1, 0),
            new TypeVersions.Version("2", 1, 0),
            new TypeVersions.Version("3", 0, 1));
    assertThat(client.versions(type.name() + "-unknown")).isEmpty();
  }

  @Test
  void refusesADefaultForATypeThatNobodyHasRegistered() {
    assertThatThrownBy(() -> client.setDefaultVersion(type, "2"))
        .isInstanceOf(RequestRefusedException.class)
        .hasMessageContaining("no worker has registered '%s'".formatted(type.name()));
  }

  @Test
  void explainsWhereARunIs() throws InterruptedException {
    WorkflowHandle<String> alone = start(type, "");
    assertThat(alone.explain().reason()).isEqualTo(Reason.NO_WORKER_ON_QUEUE);
    assertThat(alone.explain().text()).contains(queue());
    WorkflowHandle<String> later =
        client.start(type).queue(queue()).delay(Duration.ofHours(1)).input("").send();
    assertThat(later.explain().reason()).isEqualTo(Reason.DELAYED_START);

    var began = new CountDownLatch(1);
    Workflow<String, String> slow =
        (ctx, in) -> {
          ctx.step(
              "slow",
              () -> {
                began.countDown();
                mayEnd.await();
              });
          ctx.sleep("long nap", Duration.ofHours(1));
          return in;
        };
    Worker worker = begin(worker().register(type.name() + "-other", new Other()));
    assertThat(alone.explain().reason()).isEqualTo(Reason.NO_WORKER_FOR_TYPE);
    worker.stop();
    serve(type, slow);
    await(began, "the step begins");
    Awaitility.await()
        .atMost(LIMIT)
        .untilAsserted(() -> {
          var running = alone.explain();
          assertThat(running.reason()).isEqualTo(Reason.RUNNING);
          assertThat(running.steps()).containsExactly("slow");
          assertThat(running.since()).isNotNull();
          assertThat(running.text()).contains("process " + ProcessHandle.current().pid());
        });

    mayEnd.countDown();
    awaitStatus(alone, RunStatus.SLEEPING);
    var asleep = alone.explain();
    assertThat(asleep.reason()).isEqualTo(Reason.SLEEPING);
    assertThat(asleep.stuck()).isFalse();
    assertThat(asleep.steps()).containsExactly("long nap");
    assertThat(asleep.expectedAt()).isNotNull();
    assertThat(asleep.text()).contains("'long nap'", String.valueOf(asleep.expectedAt()));
    alone.cancel();
    later.cancel();
  }

  /** Something else that the queue has workers for. */
  private static final class Other implements Workflow<String, String> {
    @Override
    public String run(WorkflowContext ctx, String in) {
      return in;
    }
  }

  @Test
  void explainsARunThatTheCodeDoesNotFitWithBothSides() {
    Worker old =
        serve(
            type,
            (ctx, in) -> {
              ctx.step("before the rename", () -> {});
              ctx.sleep("nap", NAP);
              return in;
            });
    WorkflowHandle<String> handle = start(type, "");
    awaitStatus(handle, RunStatus.SLEEPING);
    old.stop();
    serve(
        type,
        (ctx, in) -> {
          ctx.sleep("nap", NAP);
          return in;
        });

    Awaitility.await()
        .atMost(LIMIT)
        .until(() -> handle.explain().reason() == Reason.NON_DETERMINISM);

    var explanation = handle.explain();
    assertThat(explanation.stuck()).isTrue();
    assertThat(explanation.text()).contains("history: 'before the rename'", "the end of the code");
    assertThat(explanation.expectedAt()).isNotNull();
    handle.cancel();
  }

  @Test
  void explainsARunThatWaitsForARetry() {
    serve(
        type,
        (ctx, in) -> {
          ctx.step("flaky")
              .retry(Retry.fixed(3, "1h"))
              .run(() -> {
                throw new IllegalStateException("not today");
              });
          return in;
        });
    WorkflowHandle<String> handle = start(type, "");

    Awaitility.await().atMost(LIMIT).until(() -> handle.explain().reason() == Reason.RETRYING);

    var explanation = handle.explain();
    assertThat(explanation.steps()).containsExactly("flaky");
    assertThat(explanation.evidence()).anySatisfy(fact -> assertThat(fact).contains("not today"));
    handle.cancel();
  }

  @Test
  void explainsARunThatWaitsForAnEventWithItsNameAndItsEnd() {
    EventType<String> approved = EventType.of("approved", String.class);
    serve(type, (ctx, in) -> ctx.waitFor(approved, "1h").orElse("nobody"));
    WorkflowHandle<String> handle = start(type, "");
    awaitStatus(handle, RunStatus.SLEEPING);

    var explanation = handle.explain();

    assertThat(explanation.reason()).isEqualTo(Reason.WAITING_FOR_EVENT);
    assertThat(explanation.stuck()).isFalse();
    assertThat(explanation.steps()).containsExactly("approved");
    assertThat(explanation.expectedAt()).isAfter(explanation.since());
    assertThat(explanation.text())
        .isEqualTo(
            "The run waits for event 'approved', until %s at the latest."
                .formatted(explanation.expectedAt()));
    assertThat(explanation.evidence())
        .anySatisfy(fact ->
            assertThat(fact)
                .contains("wait 'approved'", "event 'approved' since " + explanation.since())
                .contains("until " + explanation.expectedAt()))
        .anySatisfy(fact -> assertThat(fact).contains("workers on queue '%s'".formatted(queue())));
    handle.cancel();
  }

  @Test
  void explainsARunThatWaitsForAChildWithItsIdAndWhatItDoes() {
    WorkflowType<String, String> parent = freshType();
    Queue<String> children = new ConcurrentLinkedQueue<>();
    begin(
        worker()
            .register(
                type,
                (ctx, in) -> {
                  children.add(ctx.runId());
                  ctx.sleep("long", Duration.ofHours(1));
                  return in;
                })
            .register(parent, (ctx, in) -> ctx.child(type).name("ship").input(in).run()));
    WorkflowHandle<String> handle = start(parent, "");
    awaitStatus(handle, RunStatus.SLEEPING);
    Awaitility.await().atMost(LIMIT).until(() -> !children.isEmpty());
    String child = children.remove();
    awaitStatus(client.handle(child), RunStatus.SLEEPING);

    var explanation = handle.explain();

    assertThat(explanation.reason()).isEqualTo(Reason.WAITING_FOR_CHILD);
    assertThat(explanation.text()).isEqualTo("The run waits for child 'ship'.");
    assertThat(explanation.steps()).containsExactly("ship");
    assertThat(explanation.since()).isNotNull();
    assertThat(explanation.evidence())
        .anySatisfy(
            fact -> assertThat(fact).contains("wait 'ship'", child + ", which is SLEEPING"));
    handle.cancel();
  }

  @Test
  void explainsARunThatWaitsForAFreeSlot() throws Exception {
    var began = new CountDownLatch(1);
    begin(
        worker()
            .maxConcurrent(1)
            .register(
                type,
                (ctx, in) -> {
                  ctx.step(
                      "hold",
                      () -> {
                        began.countDown();
                        mayEnd.await();
                      });
                  return in;
                }));
    WorkflowHandle<String> holder = start(type, "first");
    await(began, "the only slot is taken");
    WorkflowHandle<String> waiting = start(type, "second");

    // The worker says with its next heartbeat how much it has to do.
    Awaitility.await()
        .atMost(LIMIT)
        .until(() -> waiting.explain().reason() == Reason.ALL_SLOTS_BUSY);

    var explanation = waiting.explain();
    assertThat(explanation.text()).contains("All slots", type.name(), queue());
    assertThat(explanation.stuck()).isFalse();
    assertThat(explanation.evidence())
        .anySatisfy(fact -> assertThat(fact).contains("slots", "1 of 1 in use"))
        .anySatisfy(fact -> assertThat(fact).contains("1, serving '%s'".formatted(type.name())));
    mayEnd.countDown();
    assertThat(resultOf(waiting)).isEqualTo("second");
    assertThat(resultOf(holder)).isEqualTo("first");
  }
}
