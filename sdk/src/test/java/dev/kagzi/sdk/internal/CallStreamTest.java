package dev.kagzi.sdk.internal;

import static dev.kagzi.sdk.fake.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.kagzi.v1.PublishStateRequest;
import dev.kagzi.v1.PublishStateResponse;
import dev.kagzi.v1.WorkCall;
import dev.kagzi.v1.WorkHello;
import dev.kagzi.v1.WorkReply;
import dev.kagzi.v1.WorkRequest;
import dev.kagzi.v1.WorkResponse;
import dev.kagzi.v1.WorkerServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A stream whose other end answers what it is told to, when it is told to. */
class CallStreamTest {

  private static final String NAME = "call-stream-test";
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final Duration SHORT = Duration.ofMillis(50);

  private final Silent service = new Silent();
  private final ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();
  private final Server server = start(service);
  private final ManagedChannel channel = InProcessChannelBuilder.forName(NAME).build();

  /** Keeps all calls and answers none by itself. */
  private static final class Silent extends WorkerServiceGrpc.WorkerServiceImplBase {
    private final Queue<WorkCall> calls = new ConcurrentLinkedQueue<>();
    private final AtomicInteger frames = new AtomicInteger();
    private final Queue<Boolean> sendersWait = new ConcurrentLinkedQueue<>();
    private final CompletableFuture<StreamObserver<WorkResponse>> replies =
        new CompletableFuture<>();

    @Override
    public StreamObserver<WorkRequest> work(StreamObserver<WorkResponse> observer) {
      replies.complete(observer);
      return new StreamObserver<>() {
        @Override
        public void onNext(WorkRequest frame) {
          frames.incrementAndGet();
          sendersWait.add(frame.getSenderWaits());
          calls.addAll(frame.getCallsList());
        }

        @Override
        public void onError(Throwable gone) {}

        @Override
        public void onCompleted() {}
      };
    }

    /** Answers so many calls with one frame. */
    void answer(int count) {
      var frame = WorkResponse.newBuilder();
      for (int i = 0; i < count; i++) {
        long id = calls.remove().getCorrelationId();
        frame.addReplies(
            WorkReply.newBuilder()
                .setCorrelationId(id)
                .setPublishState(PublishStateResponse.getDefaultInstance()));
      }
      replies.join().onNext(frame.build());
    }
  }

  private static Server start(Silent service) {
    try {
      return InProcessServerBuilder.forName(NAME).addService(service).build().start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @AfterEach
  void close() {
    callers.shutdownNow();
    channel.shutdownNow();
    server.shutdownNow();
  }

  private CallStream<WorkCall, WorkReply, ?, ?> open(Duration linger, Duration look) {
    return open(new CallStream.Pace(linger, look));
  }

  private CallStream<WorkCall, WorkReply, ?, ?> open(CallStream.Pace pace) {
    return CallStream.open(
        channel, new WorkFrames(WorkHello.getDefaultInstance(), frame -> {}), pace);
  }

  private List<Future<WorkReply>> call(
      CallStream<WorkCall, WorkReply, ?, ?> stream, int count, Duration patience) {
    var request = PublishStateRequest.getDefaultInstance();
    return IntStream.range(0, count)
        .mapToObj(i ->
            callers.submit(() ->
                stream.call(id -> WorkerRpc.PUBLISH_STATE.toCall(id, request), patience, true)))
        .toList();
  }

  private void arrive(int count) {
    until(() -> service.calls.size() == count);
  }

  /** The next {@code count / 2} callers are expected to come together. */
  private void expectHalfOf(CallStream<WorkCall, WorkReply, ?, ?> stream, int count)
      throws Exception {
    var together = call(stream, count, LONG);
    arrive(count);
    service.answer(count);
    for (var reply : together) {
      assertThat(reply.get()).isNotNull();
    }
  }

  @Test
  void saysOfAFrameThatItsSenderWaitsIfThereIsNobodyElse() throws Exception {
    var stream = open(LONG, LONG);
    expectHalfOf(stream, 1);
    service.sendersWait.clear();

    var alone = call(stream, 1, LONG);
    arrive(1);
    var beside = call(stream, 1, LONG);
    arrive(2);

    assertThat(service.sendersWait).containsExactly(true, false);
    service.answer(2);
    assertThat(alone.get(0).get()).isNotNull();
    assertThat(beside.get(0).get()).isNotNull();
  }

  @Test
  void aFrameGoesWhenAsManyHaveComeAsAreExpected() throws Exception {
    var stream = open(LONG, LONG);
    var first = call(stream, 1, LONG);
    arrive(1);
    var others = call(stream, 19, LONG);
    arrive(20);
    service.answer(20);
    for (var reply : others) {
      assertThat(reply.get()).isNotNull();
    }
    assertThat(first.getFirst().get()).isNotNull();
    var alone = call(stream, 1, LONG);
    arrive(1);
    int frames = service.frames.get();

    call(stream, 9, LONG);
    await().during(SHORT).until(() -> service.frames.get() == frames);
    call(stream, 1, LONG);
    arrive(11);

    assertThat(service.frames).hasValue(frames + 1);
    assertThat(alone.getFirst().isDone()).isFalse();
  }

  /** Nobody wakes the writer a second time, and it looks for nothing before the test is over. */
  @Test
  void whoFindsNoCompanyGoesAllTheSame() throws Exception {
    var stream = open(Duration.ofNanos(200_000), LONG);
    expectHalfOf(stream, 20);

    var few = call(stream, 3, LONG);
    arrive(3);
    service.answer(3);

    for (var reply : few) {
      assertThat(reply.get()).isNotNull();
    }
  }

  @Test
  void manyWavesOfCallersAllGetThrough() throws Exception {
    var stream = open(Duration.ofNanos(200_000), LONG);
    for (int size : IntStream.range(0, 300).map(wave -> 1 + wave * 7 % 23).toArray()) {
      expectHalfOf(stream, size);
    }
  }

  @Test
  void givesUpAStreamOnWhichNothingComes() {
    var stream = open(SHORT, SHORT);
    var calls = call(stream, 2, SHORT);

    assertThat(calls)
        .allSatisfy(call ->
            assertThatThrownBy(call::get)
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(CallStream.Broken.class)
                .hasMessageContaining("the server has been silent for"));
    assertThat(stream.failure()).isNotNull();
  }

  @Test
  void givesUpACallThatAloneHasNoReply() throws Exception {
    var stream = open(SHORT, SHORT);
    var patient = call(stream, 1, LONG).getFirst();
    arrive(1);
    var forgotten = call(stream, 1, Duration.ofSeconds(2)).getFirst();
    arrive(2);

    service.answer(1);

    assertThat(patient.get()).isNotNull();
    assertThatThrownBy(forgotten::get)
        .cause()
        .isInstanceOfSatisfying(
            CallFailedException.class,
            failure -> assertThat(failure.code()).isEqualTo(Status.Code.UNAVAILABLE))
        .hasMessageContaining("no reply in time");
    assertThat(stream.failure()).isNull();
  }

  @Test
  void endsAllCallsWhenTheStreamBreaks() {
    var calls = call(open(SHORT, LONG), 5, LONG);
    arrive(5);

    var gone = Status.UNAVAILABLE.withDescription("gone").asRuntimeException();
    service.replies.join().onError(gone);

    assertThat(calls)
        .allSatisfy(
            call -> assertThatThrownBy(call::get).hasCauseInstanceOf(CallStream.Broken.class));
  }
}
