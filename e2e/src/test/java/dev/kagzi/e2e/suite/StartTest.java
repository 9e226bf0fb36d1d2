package dev.kagzi.e2e.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kagzi.sdk.RequestRefusedException;
import dev.kagzi.sdk.ReusePolicy;
import dev.kagzi.sdk.RunStatus;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.WorkflowHandle;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@Execution(ExecutionMode.CONCURRENT)
@EnumSource(Deployment.class)
class StartTest extends DurabilitySuite {

  private static final String FAIL = "fail";
  private static final int RACERS = 16;

  private final WorkflowType<String, String> type;
  private final String id;

  StartTest(Deployment deployment) {
    super(deployment);
    this.type = WorkflowType.of(freshName("start-" + deployment), String.class, String.class);
    this.id = freshName("order");
  }

  private void serve() {
    serve(
        type,
        (ctx, in) -> {
          if (in.equals(FAIL)) {
            throw new IllegalStateException("as asked");
          }
          return in;
        });
  }

  private WorkflowHandle<String> startWithId(String input, ReusePolicy policy) {
    return client.start(type).queue(queue()).id(id).reusePolicy(policy).input(input).send();
  }

  @Test
  void findsTheLiveRunOfAnIdWhateverThePolicy() {
    WorkflowHandle<String> first = startWithId("first", ReusePolicy.ALLOW);
    assertThat(first.alreadyExisted()).isFalse();

    for (ReusePolicy policy : ReusePolicy.values()) {
      WorkflowHandle<String> found = startWithId("second", policy);
      assertThat(found.alreadyExisted()).isTrue();
      assertThat(found.runId()).isEqualTo(first.runId());
    }

    serve();
    assertThat(resultOf(first)).isEqualTo("first");
  }

  @Test
  void startsOneRunHoweverManyClientsRaceForAnId() {
    Set<String> runs = ConcurrentHashMap.newKeySet();
    var started = new AtomicInteger();

    try (var clients = Executors.newFixedThreadPool(RACERS)) {
      for (int racer = 0; racer < RACERS; racer++) {
        clients.execute(() -> {
          WorkflowHandle<String> handle = startWithId("", ReusePolicy.ALLOW);
          runs.add(handle.runId());
          started.addAndGet(handle.alreadyExisted() ? 0 : 1);
        });
      }
    }

    assertThat(runs).hasSize(1);
    assertThat(started).hasValue(1);
  }

  @Test
  void usesAnIdAgainAfterItsRunCompletedOnlyIfAllowed() {
    serve();
    WorkflowHandle<String> completed = startWithId("done", ReusePolicy.ALLOW);
    resultOf(completed);

    assertFound(completed, startWithId("again", ReusePolicy.REJECT));
    assertFound(completed, startWithId("again", ReusePolicy.ALLOW_IF_FAILED));
    WorkflowHandle<String> fresh = startWithId("again", ReusePolicy.ALLOW);
    assertThat(fresh.alreadyExisted()).isFalse();
    assertThat(resultOf(fresh)).isEqualTo("again");
  }

  @Test
  void usesAnIdAgainAfterItsRunFailedUnlessRejected() {
    serve();
    WorkflowHandle<String> failed = startWithId(FAIL, ReusePolicy.ALLOW);
    failureOf(failed);

    assertFound(failed, startWithId("again", ReusePolicy.REJECT));
    WorkflowHandle<String> fresh = startWithId("again", ReusePolicy.ALLOW_IF_FAILED);
    assertThat(fresh.alreadyExisted()).isFalse();
    assertThat(resultOf(fresh)).isEqualTo("again");
  }

  private static void assertFound(WorkflowHandle<String> before, WorkflowHandle<String> found) {
    assertThat(found.alreadyExisted()).isTrue();
    assertThat(found.runId()).isEqualTo(before.runId());
    assertThat(found.status().isTerminal()).isTrue();
  }

  @Test
  void startsARunWithEachSendThatNamesNoId() {
    serve();
    var start = client.start(type).queue(queue()).input("x");

    WorkflowHandle<String> first = start.send();
    WorkflowHandle<String> second = start.send();

    assertThat(second.runId()).isNotEqualTo(first.runId());
    assertThat(second.alreadyExisted()).isFalse();
    assertThat(resultOf(first) + resultOf(second)).isEqualTo("xx");
  }

  @Test
  void waitsNoLongerThanAskedAndTheRunGoesOn() {
    WorkflowHandle<String> handle = start(type, "late");

    assertThatThrownBy(() -> handle.result(Duration.ofMillis(200)))
        .isInstanceOf(TimeoutException.class)
        .hasMessageContaining(handle.runId());
    assertThat(handle.status()).isEqualTo(RunStatus.PENDING);

    serve();
    assertThat(resultOf(handle)).isEqualTo("late");
  }

  @Test
  void isReadByWhoeverKnowsTheRunId() {
    serve();
    String runId = start(type, "shared").runId();

    assertThat(resultOf(client.handle(runId, String.class))).isEqualTo("shared");
    assertThat(resultOf(client.handle(runId)).as(String.class)).isEqualTo("shared");
    assertThat(
            resultOf(client.start(type.name()).queue(queue()).input("by name").send())
                .as(String.class))
        .isEqualTo("by name");
  }

  @Test
  void goesToAWorkerThatServesItsVersion() {
    begin(worker().register(type, "1", (ctx, in) -> in + " by 1"));
    begin(worker().register(type, "2", (ctx, in) -> in + " by 2"));

    assertThat(resultOf(client.start(type).version("2").input("asked").send()))
        .isEqualTo("asked by 2");
    assertThat(resultOf(client.start(type).version("1").input("asked").send()))
        .isEqualTo("asked by 1");
    assertThat(resultOf(client.start(type).input("not asked").send())).isEqualTo("not asked by 1");
  }

  @Test
  void refusesALeaseThatNoServerGives() {
    assertThatThrownBy(() -> client.start(type).lease("5s").send())
        .isInstanceOf(RequestRefusedException.class)
        .hasMessageContaining("15 seconds to 1 hour");
  }

  @Test
  void findsARunByItsId() {
    serve();
    resultOf(startWithId("one", ReusePolicy.ALLOW));
    WorkflowHandle<String> second = startWithId("two", ReusePolicy.ALLOW);

    assertThat(client.find(id).orElseThrow().runId()).isEqualTo(second.runId());
    assertThat(resultOf(client.find(id, String.class).orElseThrow())).isEqualTo("two");
    assertThat(client.find(freshName("nobody"))).isEmpty();
  }
}
