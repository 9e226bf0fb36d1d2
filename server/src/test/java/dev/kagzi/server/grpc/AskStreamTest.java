package dev.kagzi.server.grpc;

import static dev.kagzi.server.Wire.aPoll;
import static dev.kagzi.server.Wire.aStart;
import static dev.kagzi.server.Wire.aWorker;
import static dev.kagzi.server.Wire.complete;
import static dev.kagzi.server.Wire.json;
import static dev.kagzi.server.Wire.millis;
import static dev.kagzi.server.Wire.retryDelay;
import static dev.kagzi.server.Wire.seconds;
import static dev.kagzi.server.grpc.AskStreamClient.awaitCall;
import static dev.kagzi.server.grpc.AskStreamClient.startCall;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.Message;
import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.server.TestServer;
import dev.kagzi.server.config.ConfigKeys;
import dev.kagzi.server.grpc.RawCalls.Answer;
import dev.kagzi.v1.AskCall;
import dev.kagzi.v1.AskReply;
import dev.kagzi.v1.AskRequest;
import dev.kagzi.v1.AwaitWorkflowRequest;
import dev.kagzi.v1.CountWorkflowsRequest;
import dev.kagzi.v1.Event;
import dev.kagzi.v1.Task;
import dev.kagzi.v1.WorkflowFilter;
import dev.kagzi.v1.WorkflowServiceGrpc;
import dev.kagzi.v1.WorkflowStatus;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Starts and awaits on a stream, which are those of the unary calls. */
class AskStreamTest {

  private static final int MOST_IN_FRAME = 4096;
  private static final int MOST_OPEN = 10_000;

  /** So many that those who await the same are few. */
  private static final int RUNS = 100;

  /** So long that no wait is over before a test is. */
  private static final Duration LONGEST_WAIT = Duration.ofMinutes(5);

  private static TestServer server;
  private final String queue = "queue-" + UUID.randomUUID();
  private final List<AskStreamClient> streams = new ArrayList<>();

  @BeforeAll
  static void startServer() {
    server = TestServer.start(settings -> settings.set(ConfigKeys.POLL_TIMEOUT, LONGEST_WAIT));
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  /** What one test leaves open must not take the room of the next. */
  @AfterEach
  void breakOff() {
    streams.forEach(AskStreamClient::breakOff);
  }

  private AskStreamClient open() {
    var stream = AskStreamClient.open(server.newChannel());
    streams.add(stream);
    return stream;
  }

  private String startOn(AskStreamClient stream) {
    return stream
        .call(startCall(aStart().setTaskQueue(queue).build()))
        .getStartWorkflow()
        .getRunId();
  }

  private static AskCall.Builder awaitEnd(String runId) {
    return awaitCall(AwaitWorkflowRequest.newBuilder().setRunId(runId).build());
  }

  /** Carries the next run of the queue out, as a worker would. */
  private void carryOut(String output) {
    String worker = server.workers().register(aWorker().setTaskQueue(queue).build()).getWorkerId();
    Task task = server.workers().pollTask(aPoll(worker).setTaskQueue(queue).build()).getTasks(0);
    var unused = server.workers().completeWorkflow(complete(task, worker, output));
  }

  @Test
  void startsARunAndTellsItsEnd() {
    var stream = open();
    AskReply started = stream.call(startCall(aStart().setTaskQueue(queue).build()));
    String runId = started.getStartWorkflow().getRunId();
    var end = stream.sendAll(List.of(awaitEnd(runId))).get(0);

    carryOut("\"done\"");

    assertThat(started.getStartWorkflow().getStatus())
        .isEqualTo(WorkflowStatus.WORKFLOW_STATUS_PENDING);
    assertThat(stream.answerOf(end).getAwaitWorkflow())
        .satisfies(answer -> assertThat(answer.getFinished()).isTrue())
        .satisfies(answer -> assertThat(answer.getRun().getRunId()).isEqualTo(runId))
        .satisfies(
            answer -> assertThat(answer.getRun().getOutput().getJson()).isEqualTo("\"done\""));
  }

  @Test
  void awaitsByExternalIdAndStartsWithAnEvent() {
    var stream = open();
    String externalId = "order-" + UUID.randomUUID();
    var event = Event.newBuilder().setName("approved").setIdempotencyKey("once");
    var request =
        aStart().setTaskQueue(queue).setExternalId(externalId).setFirstEvent(event).build();

    AskReply first = stream.call(startCall(request));
    AskReply second = stream.call(startCall(request));
    AskReply unfinished =
        stream.call(
            awaitCall(
                AwaitWorkflowRequest.newBuilder()
                    .setExternalId(externalId)
                    .setWait(seconds(0))
                    .build()));

    assertThat(second.getStartWorkflow().getAlreadyExists()).isTrue();
    assertThat(unfinished.getAwaitWorkflow().getFinished()).isFalse();
    assertThat(unfinished.getAwaitWorkflow().getRun().getRunId())
        .isEqualTo(first.getStartWorkflow().getRunId());
  }

  @Test
  void aStartThatIsRepeatedOnAnotherStreamStartsOneRun() {
    var ids = new TimeOrderedIds(InstantSource.system());
    var request = aStart().setTaskQueue(queue).setRequestId(ids.next().toString()).build();
    var first = open();
    var starting = first.sendAll(Collections.nCopies(1, startCall(request)));
    first.answerOf(starting.get(0));
    first.breakOff();

    AskReply again = open().call(startCall(request));

    assertThat(again.getStartWorkflow().getRunId()).isEqualTo(request.getRequestId());
    assertThat(again.getStartWorkflow().getAlreadyExists()).isFalse();
    var filter = WorkflowFilter.newBuilder().addTaskQueues(queue);
    var count = CountWorkflowsRequest.newBuilder().setFilter(filter).build();
    assertThat(server.workflows().countWorkflows(count).getCount()).isEqualTo(1);
  }

  /** What is wrong with a request is told in the same words on both ways. */
  @Test
  void refusesWhatTheUnaryCallsRefuse() {
    var stream = open();
    var calls = new RawCalls(server.channel());
    var good = new GoodRequests(server);
    List<String> differing = new ArrayList<>();
    for (MethodDescriptor<?, ?> method :
        List.of(
            WorkflowServiceGrpc.getStartWorkflowMethod(),
            WorkflowServiceGrpc.getAwaitWorkflowMethod())) {
      String name = String.valueOf(method.getBareMethodName());
      var call =
          AskCall.getDescriptor().getOneofs().get(0).getFields().stream()
              .filter(field -> field.getMessageType().getName().equals(name + "Request"))
              .findFirst()
              .orElseThrow();
      for (BadInputs.Bad bad : BadInputs.of(good.request(name))) {
        Message request = inTime(bad.request());
        Answer alone = calls.call(method, request.toByteArray());
        AskReply reply = stream.call(AskCall.newBuilder().setField(call, request));
        Answer onStream = reply.hasError() ? Answer.of(reply.getError()) : Answer.OK;
        if (alone.code() != onStream.code() || !alone.fields().equals(onStream.fields())) {
          differing.add("%s: %s but %s".formatted(bad.what(), alone, onStream));
        }
      }
    }

    assertThat(differing).isEmpty();
  }

  /** Nobody is to wait here for a run that will not end. */
  private static Message inTime(Message request) {
    return request instanceof AwaitWorkflowRequest wait && wait.getWait().getSeconds() >= 0
        ? wait.toBuilder().setWait(wait.getWait().toBuilder().setSeconds(0)).build()
        : request;
  }

  @Test
  void aCallWithoutARequestHarmsNoOther() {
    var stream = open();

    AskReply refused = stream.call(AskCall.newBuilder());

    assertThat(Answer.of(refused.getError()).code()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(startOn(stream)).isNotEmpty();
  }

  @Test
  void aFrameOfTooManyCallsEndsTheStream() {
    var stream = open();

    stream.send(
        AskRequest.newBuilder()
            .addAllCalls(Collections.nCopies(MOST_IN_FRAME + 1, AskCall.getDefaultInstance()))
            .build());

    assertThat(stream.end().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
  }

  @Test
  void whoeverHearsOfTheSameCommitHearsInOneFrame() {
    var stream = open();
    String runId = startOn(stream);
    var ends = awaitOften(stream, List.of(runId), 50);
    // Its reply shows that the awaits before it have arrived.
    startOn(stream);
    int before = stream.frames();

    carryOut("1");
    ends.forEach(end -> assertThat(stream.answerOf(end).getAwaitWorkflow().getFinished()).isTrue());

    assertThat(stream.frames() - before).isEqualTo(1);
  }

  private static List<CompletableFuture<AskReply>> awaitOften(
      AskStreamClient stream, List<String> runs, int times) {
    List<CompletableFuture<AskReply>> all = new ArrayList<>();
    for (int sent = 0; sent < times; sent = all.size()) {
      all.addAll(
          stream.sendAll(
              IntStream.range(sent, Math.min(times, sent + MOST_IN_FRAME))
                  .mapToObj(i -> awaitEnd(runs.get(i % runs.size())))
                  .toList()));
    }
    return all;
  }

  private List<String> startSome(AskStreamClient stream) {
    return IntStream.range(0, RUNS).mapToObj(i -> startOn(stream)).toList();
  }

  @Test
  void noMoreIsReadWhileTooManyCallsAreOpen() {
    var stream = open();
    awaitOften(stream, startSome(stream), MOST_OPEN);
    var next = stream.sendAll(List.of(startCall(aStart().setTaskQueue(queue).build()))).get(0);

    await().during(Duration.ofMillis(300)).until(() -> !next.isDone());
    carryOut("1");

    assertThat(stream.answerOf(next).hasStartWorkflow()).isTrue();
  }

  /** Twenty thousand may wait at a server. */
  @Test
  void aClientThatIsGoneMakesRoomForOthers() {
    var first = open();
    var second = open();
    var third = open();
    List<String> runs = startSome(third);
    awaitOften(first, runs, MOST_OPEN);
    awaitOften(second, runs, MOST_OPEN);
    AskCall.Builder shortly =
        awaitCall(
            AwaitWorkflowRequest.newBuilder().setRunId(runs.get(0)).setWait(seconds(0)).build());
    await().until(() -> third.call(shortly).hasError());
    var refusal = StatusProto.toStatusRuntimeException(third.call(shortly).getError());
    assertThat(refusal.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    assertThat(retryDelay(refusal)).isEqualTo(millis(500));

    first.breakOff();

    await().until(() -> third.call(shortly).hasAwaitWorkflow());
    second.halfClose();
    assertThat(second.end()).isEqualTo(Status.OK);
  }

  @Test
  void aClientThatDoesNotReadHoldsUpNobodyElse() {
    var deaf = AskStreamClient.openDeaf(server.newChannel());
    streams.add(deaf);
    var other = open();
    String runId = startOn(other);
    awaitOften(deaf, List.of(runId), 8);
    var end = other.sendAll(List.of(awaitEnd(runId))).get(0);
    carryOut(json("\"" + "x".repeat(1_500_000) + "\"").getJson());

    assertThat(other.answerOf(end).getAwaitWorkflow().getFinished()).isTrue();
    assertThat(startOn(other)).isNotEmpty();
  }

  @Test
  void aStreamThatIsHalfClosedAnswersWhatIsOpen() {
    var stream = open();
    var end = stream.sendAll(List.of(awaitEnd(startOn(stream)))).get(0);

    stream.halfClose();

    assertThat(stream.answerOf(end).getAwaitWorkflow().getFinished()).isFalse();
    assertThat(stream.end()).isEqualTo(Status.OK);
  }
}
