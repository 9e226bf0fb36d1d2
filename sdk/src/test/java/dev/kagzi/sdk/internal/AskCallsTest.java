package dev.kagzi.sdk.internal;

import static dev.kagzi.sdk.fake.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kagzi.core.Payload;
import dev.kagzi.sdk.RequestRefusedException;
import dev.kagzi.sdk.RunStatus;
import dev.kagzi.sdk.fake.FakeServer;
import dev.kagzi.sdk.fake.Refusals;
import dev.kagzi.v1.AskRequest;
import dev.kagzi.v1.AwaitWorkflowRequest;
import dev.kagzi.v1.StartWorkflowRequest;
import io.grpc.Status;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Starts and awaits of a client on both ways, which are to be told apart by nothing. */
class AskCallsTest {

  private static final Duration LONG = Duration.ofMinutes(5);

  /** How the calls travel. */
  enum Way {
    STREAM,
    UNARY
  }

  private final FakeServer server = FakeServer.inProcess();
  private final ServerConnection connection = to(server.address());
  private final WorkflowCalls calls = new WorkflowCalls(connection, "default");
  private final ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();

  @AfterEach
  void tearDown() {
    callers.shutdownNow();
    calls.close();
    server.close();
  }

  private void on(Way way) {
    if (way == Way.UNARY) {
      server.workflows().withoutStreams();
    }
  }

  private String start() {
    return calls.send(calls.start("order")).runId();
  }

  private Future<Optional<RunView>> await(String runId) {
    int before = received(AwaitWorkflowRequest.class).size();
    Future<Optional<RunView>> end = callers.submit(() -> calls.awaitEnd(runId, LONG));
    until(() -> received(AwaitWorkflowRequest.class).size() > before);
    return end;
  }

  private <Q> List<Q> received(Class<Q> type) {
    return server.calls().received(type);
  }

  @ParameterizedTest
  @EnumSource
  void startsARunAndAwaitsItsEnd(Way way) throws Exception {
    on(way);
    String runId = start();
    Future<Optional<RunView>> end = await(runId);

    calls.cancel(runId, "no longer wanted");

    assertThat(end.get().orElseThrow().status()).isEqualTo(RunStatus.CANCELLED);
    assertThat(server.workflows().streamCount()).isEqualTo(way == Way.STREAM ? 1 : 0);
  }

  @ParameterizedTest
  @EnumSource
  void anAwaitEndsWhenItsTimeIsOver(Way way) throws Exception {
    on(way);

    assertThat(calls.awaitEnd(start(), Duration.ofMillis(20))).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void aRefusalSaysWhatTheServerSaid(Way way) {
    on(way);
    server
        .faults()
        .refuseOnce(
            "StartWorkflow", Refusals.refusal(Status.Code.INVALID_ARGUMENT, "UNKNOWN_TYPE"));

    assertThatThrownBy(this::start)
        .isInstanceOf(RequestRefusedException.class)
        .hasMessageContaining("UNKNOWN_TYPE");
    assertThat(received(StartWorkflowRequest.class)).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource
  void aStartIsRepeatedWhileTheServerHasTooMuchToDo(Way way) {
    on(way);
    server
        .faults()
        .refuseOnce(
            "StartWorkflow", Refusals.refusal(Status.Code.RESOURCE_EXHAUSTED, "OVERLOADED"));

    assertThat(start()).isNotEmpty();
    assertThat(received(StartWorkflowRequest.class)).hasSize(2);
    assertThat(server.workflows().streamCount()).isEqualTo(way == Way.STREAM ? 1 : 0);
  }

  @ParameterizedTest
  @EnumSource
  void aStartWhoseReplyIsLostStartsOneRun(Way way) {
    on(way);
    server.faults().loseReplyOnce("StartWorkflow");

    String runId = start();

    assertThat(received(StartWorkflowRequest.class))
        .hasSize(2)
        .extracting(StartWorkflowRequest::getRequestId)
        .containsOnly(runId);
  }

  @ParameterizedTest
  @EnumSource
  void anAwaitWhoseReplyIsLostIsRepeated(Way way) throws Exception {
    on(way);
    String runId = start();
    server.faults().loseReplyOnce("AwaitWorkflow");
    calls.cancel(runId, "no longer wanted");

    assertThat(calls.awaitEnd(runId, LONG)).isPresent();
    assertThat(received(AwaitWorkflowRequest.class)).hasSize(2);
  }

  @ParameterizedTest
  @EnumSource
  void whoeverIsInterruptedWaitsNoLonger(Way way) {
    on(way);
    Future<Optional<RunView>> end = await(start());

    callers.shutdownNow();

    assertThatThrownBy(end::get).hasCauseInstanceOf(InterruptedException.class);
  }

  @Test
  void manyAwaitsSurviveTheEndOfTheirStream() throws Exception {
    List<String> runs = IntStream.range(0, 20).mapToObj(i -> start()).toList();
    List<Future<Optional<RunView>>> ends = runs.stream().map(this::await).toList();

    server.workflows().breakStreams();
    until(() -> received(AwaitWorkflowRequest.class).size() == 2 * runs.size());
    runs.forEach(run -> calls.cancel(run, "no longer wanted"));

    for (var end : ends) {
      assertThat(end.get()).isPresent();
    }
  }

  @Test
  void callersShareAStreamAndItsFrames() throws Exception {
    int count = 200;
    Callable<String> starting = this::start;

    for (var started : callers.invokeAll(Collections.nCopies(count, starting))) {
      assertThat(started.get()).isNotEmpty();
    }

    assertThat(server.workflows().streamCount()).isEqualTo(1);
    assertThat(received(StartWorkflowRequest.class)).hasSize(count);
    assertThat(server.workflows().frames()).hasSizeLessThan(count);
  }

  @Test
  void aRequestThatWouldFillAFrameTravelsAlone() {
    StartCall large = calls.start("order");
    large.input(new Payload(new byte[CallStream.MAX_FRAME_BYTES], Map.of()));

    assertThat(calls.send(large).runId()).isNotEmpty();

    assertThat(server.workflows().streamCount()).isZero();
    assertThat(received(StartWorkflowRequest.class)).hasSize(1);
  }

  @Test
  void aStreamIsOpenOnlyWhileSomebodyCalls() throws Exception {
    var pace = new CallStream.Pace(Duration.ofNanos(200_000), Duration.ofMillis(5));
    var asks = new AskCalls(connection, pace.givingUpAfter(Duration.ofMillis(20)));
    assertThat(server.workflows().streamCount()).isZero();
    asks.call(AskRpc.START_WORKFLOW, request("first"), ServerConnection.CALL_LIMIT);
    assertThat(server.workflows().streamCount()).isEqualTo(1);

    until(() -> server.workflows().openStreams() == 0);
    asks.call(AskRpc.START_WORKFLOW, request("second"), ServerConnection.CALL_LIMIT);

    assertThat(server.workflows().streamCount()).isEqualTo(2);
    assertThat(server.workflows().frames()).extracting(AskRequest::getCallsCount).containsOnly(1);
  }

  @Test
  void aCallWithoutAReplyEndsWhenItsTimeIsOver() {
    String runId = start();
    var request =
        AwaitWorkflowRequest.newBuilder()
            .setRunId(runId)
            .setWait(WireTimes.fromDuration(LONG))
            .build();
    var asks = new AskCalls(connection);

    assertThatThrownBy(() -> asks.once(AskRpc.AWAIT_WORKFLOW, request, Duration.ofMillis(50)))
        .isInstanceOfSatisfying(
            CallFailedException.class, failure -> assertThat(failure.isUnanswered()).isTrue());
  }

  private static StartWorkflowRequest request(String id) {
    return StartWorkflowRequest.newBuilder().setRequestId(id).build();
  }

  @Test
  void goesOnWithTheNextServerWhenOneIsGone() throws Exception {
    try (FakeServer first = FakeServer.overTcp();
        FakeServer second = FakeServer.overTcp();
        var both = new WorkflowCalls(to(first.address() + "," + second.address()), "default")) {
      startAt(first);
      startAt(second);
      Future<Optional<RunView>> end = callers.submit(() -> both.awaitEnd("awaited", LONG));
      until(() -> wasAsked(first) || wasAsked(second));
      FakeServer used = wasAsked(first) ? first : second;
      FakeServer other = wasAsked(first) ? second : first;

      used.close();
      until(() -> wasAsked(other));
      both.cancel("awaited", "no longer wanted");

      assertThat(end.get().orElseThrow().status()).isEqualTo(RunStatus.CANCELLED);
      assertThat(other.workflows().openStreams()).isEqualTo(1);
    }
  }

  private static ServerConnection to(String address) {
    return ServerConnection.open(ServerAddress.parse(address, "the test"));
  }

  private static void startAt(FakeServer server) throws InterruptedException {
    try (ServerConnection line = to(server.address())) {
      new AskCalls(line)
          .call(AskRpc.START_WORKFLOW, request("awaited"), ServerConnection.CALL_LIMIT);
    }
    until(() -> server.workflows().openStreams() == 0);
  }

  private static boolean wasAsked(FakeServer server) {
    return !server.calls().received(AwaitWorkflowRequest.class).isEmpty();
  }
}
