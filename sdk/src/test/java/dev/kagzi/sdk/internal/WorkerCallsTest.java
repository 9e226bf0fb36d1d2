package dev.kagzi.sdk.internal;

import static dev.kagzi.sdk.fake.Waiting.until;
import static dev.kagzi.v1.WorkflowStatus.WORKFLOW_STATUS_COMPLETED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.fake.Refusals;
import dev.kagzi.v1.CompleteStepRequest;
import dev.kagzi.v1.HeartbeatRequest;
import dev.kagzi.v1.PollTaskRequest;
import dev.kagzi.v1.WorkRequest;
import io.grpc.Status;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WorkerCallsTest {

  private final RunFixture fixture = new RunFixture();
  private final AtomicInteger executions = new AtomicInteger();
  private final Workflow<String, String> twoSteps =
      (ctx, in) -> {
        ctx.step("first", executions::incrementAndGet);
        ctx.step("second", executions::incrementAndGet);
        return in;
      };

  @AfterEach
  void tearDown() {
    fixture.close();
  }

  @Test
  void introducesTheWorkerOnceOnEachStream() {
    fixture.run(twoSteps);

    List<WorkRequest> frames = fixture.server.workers().frames();
    assertThat(frames.getFirst().getHello().getWorkerId()).isEqualTo("worker-1");
    assertThat(frames.stream().filter(WorkRequest::hasHello)).hasSize(1);
  }

  @Test
  void putsWaitingCallsIntoOneFrame() {
    int count = 50;
    var start = new CountDownLatch(1);
    List<String> runs = IntStream.range(0, count).mapToObj(i -> fixture.start()).toList();
    fixture.serve((ctx, in) -> {
      ctx.step("together", start::await);
      return in;
    });
    until(() -> fixture.activeRuns() == count);
    start.countDown();
    runs.forEach(fixture::awaitFinished);

    long frames = fixture.server.workers().frames().size();
    long calls =
        fixture.server.workers().frames().stream().mapToLong(WorkRequest::getCallsCount).sum();
    assertThat(frames).isLessThan(calls);
  }

  @Test
  void repeatsOpenCallsOnAnotherStreamWhenOneBreaks() {
    fixture.server.faults().loseReplyOnce("CompleteStep");

    String runId = fixture.run(twoSteps);

    assertThat(fixture.view(runId).getStatus()).isEqualTo(WORKFLOW_STATUS_COMPLETED);
    assertThat(executions).hasValue(2);
    assertThat(received(CompleteStepRequest.class)).hasSize(3);
    assertThat(fixture.server.workers().streamCount()).isEqualTo(2);
  }

  @Test
  void repeatsAPollUnderTheSameClaim() {
    fixture.serve(twoSteps);
    until(() -> received(PollTaskRequest.class).size() == 1);

    fixture.server.workers().breakStreams();
    until(() -> received(PollTaskRequest.class).size() == 2);

    assertThat(received(PollTaskRequest.class))
        .extracting(PollTaskRequest::getClaimId)
        .doesNotContain("")
        .containsOnly(received(PollTaskRequest.class).getFirst().getClaimId());
  }

  /** A server hands nothing to who was declared offline, and may let him wait for long. */
  @Test
  void repeatsAPollUnderTheIdThatTheWorkerHasByThen() {
    fixture.serve(twoSteps);
    until(() -> received(PollTaskRequest.class).size() == 1);

    fixture.server.workers().forgetWorkers();
    fixture.server.workers().breakStreams();

    until(() ->
        received(PollTaskRequest.class).stream()
            .anyMatch(poll -> poll.getWorkerId().equals("worker-2")));
  }

  @Test
  void beatsAtOnceAfterAStreamBroke() {
    fixture.serve(twoSteps);
    until(() -> received(PollTaskRequest.class).size() == 1);
    assertThat(received(HeartbeatRequest.class)).isEmpty();

    fixture.server.workers().breakStreams();

    until(() -> !received(HeartbeatRequest.class).isEmpty());
  }

  @Test
  void repeatsACallThatTheServerCouldNotTake() {
    fixture
        .server
        .faults()
        .refuseOnce("CompleteStep", Refusals.refusal(Status.Code.RESOURCE_EXHAUSTED, "OVERLOAD"));
    fixture
        .server
        .faults()
        .refuseOnce("CompleteWorkflow", Refusals.refusal(Status.Code.INTERNAL, "BUG"));

    String runId = fixture.run(twoSteps);

    assertThat(fixture.view(runId).getStatus()).isEqualTo(WORKFLOW_STATUS_COMPLETED);
    assertThat(executions).hasValue(2);
  }

  /** Eight pauses take at most 4.6 s; if they doubled on, at least 5.6 s. */
  @Test
  void looksEverySecondWhetherAServerIsBack() {
    fixture.server.faults().unavailable("PollTask");
    fixture.serve(twoSteps);
    until(() -> received(PollTaskRequest.class).size() == 1);
    long first = System.nanoTime();

    until(() -> received(PollTaskRequest.class).size() == 9);

    assertThat(Duration.ofNanos(System.nanoTime() - first)).isLessThan(Duration.ofMillis(5500));
  }

  @Test
  void usesUnaryCallsWhereThereAreNoStreams() {
    fixture.server.workers().withoutStreams();
    fixture.server.faults().loseReplyOnce("CompleteStep");

    String runId = fixture.run(twoSteps);

    assertThat(fixture.view(runId).getStatus()).isEqualTo(WORKFLOW_STATUS_COMPLETED);
    assertThat(executions).hasValue(2);
    assertThat(fixture.server.workers().streamCount()).isZero();
  }

  @Test
  void worksOverTcp() {
    try (RunFixture overTcp = RunFixture.overTcp()) {
      List<String> runs = IntStream.range(0, 100).mapToObj(i -> overTcp.start()).toList();
      overTcp.serve(twoSteps);
      overTcp.server.workers().breakStreams();
      runs.forEach(overTcp::awaitFinished);

      assertThat(runs)
          .allSatisfy(run ->
              assertThat(overTcp.view(run).getStatus()).isEqualTo(WORKFLOW_STATUS_COMPLETED));
      assertThat(executions).hasValue(200);
    }
  }

  private <Q> List<Q> received(Class<Q> type) {
    return fixture.server.calls().received(type);
  }
}
