package dev.kagzi.server.grpc;

import dev.kagzi.v1.AskCall;
import dev.kagzi.v1.AskReply;
import dev.kagzi.v1.AskRequest;
import dev.kagzi.v1.AskResponse;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One Ask stream. No call holds a thread while it waits: starts are answered by their commit, and
 * awaits by the commit that ends their run.
 */
final class AskStreamSession implements CallStream.Owner<AskRequest> {

  /** What is open here would otherwise be calls of their own on the same connection. */
  private static final int MAX_OPEN_CALLS = GrpcServer.MAX_CALLS_PER_CONNECTION;

  /** What the calls of all streams are handed to. */
  record Handlers(StartCalls starts, Awaits awaits, OpenStreams streams) {}

  private final CallStream<AskRequest, AskReply, AskResponse> stream;
  private final ReplyWriter<AskReply, AskResponse> writer;
  private final Handlers handlers;
  private final Set<AwaitCall> waiting = ConcurrentHashMap.newKeySet();

  private AskStreamSession(ServerCallStreamObserver<AskResponse> sink, Handlers handlers) {
    this.handlers = handlers;
    this.stream = new CallStream<>(sink, new AskFrames(), handlers.streams(), MAX_OPEN_CALLS, this);
    this.writer = stream.writer();
  }

  /** Begins to read; what arrives is for the observer. */
  static StreamObserver<AskRequest> open(StreamObserver<AskResponse> caller, Handlers handlers) {
    var sink = (ServerCallStreamObserver<AskResponse>) caller;
    return new AskStreamSession(sink, handlers).stream.start();
  }

  @Override
  public int callsIn(AskRequest frame) {
    return frame.getCallsCount();
  }

  @Override
  public void arrived(AskRequest frame) {
    stream.take(() -> {
      CallStream.check(frame.getCallsCount()).done();
      begin(frame.getCallsList());
    });
  }

  /** What may have to look at the database is not done by the thread that brings the frames. */
  private void begin(List<AskCall> calls) {
    List<AskCall> starts = new ArrayList<>();
    for (AskCall call : calls) {
      switch (call.getCallCase()) {
        case START_WORKFLOW -> {
          if (StartCalls.isAnsweredByCommit(call.getStartWorkflow())) {
            starts.add(call);
          } else {
            execute(() -> startAndWait(call));
          }
        }
        case AWAIT_WORKFLOW -> {
          if (Awaits.beginsAtOnce(call.getAwaitWorkflow())) {
            await(call);
          } else {
            execute(() -> await(call));
          }
        }
        case CALL_NOT_SET ->
            writer.refuse(
                call.getCorrelationId(), new IllegalArgumentException("a call without a request"));
      }
    }
    if (!starts.isEmpty()) {
      execute(() -> starts.forEach(this::start));
    }
  }

  private void execute(Runnable work) {
    handlers.streams().executor().execute(work);
  }

  private void start(AskCall call) {
    long id = call.getCorrelationId();
    try {
      handlers
          .starts()
          .start(
              call.getStartWorkflow(),
              writer.byCommit(id, response -> reply(id).setStartWorkflow(response).build()));
    } catch (RuntimeException refusal) {
      writer.refuse(id, refusal);
    }
  }

  private void startAndWait(AskCall call) {
    long id = call.getCorrelationId();
    try {
      writer.add(
          id, reply(id).setStartWorkflow(handlers.starts().start(call.getStartWorkflow())).build());
    } catch (RuntimeException refusal) {
      writer.refuse(id, refusal);
    }
  }

  private void await(AskCall call) {
    long id = call.getCorrelationId();
    AwaitCall own =
        handlers
            .awaits()
            .call(
                writer.byCommit(id, response -> reply(id).setAwaitWorkflow(response).build()),
                waiting::remove);
    waiting.add(own);
    if (stream.hasEnded()) {
      own.cancel();
    }
    try {
      handlers.awaits().start(own, call.getAwaitWorkflow());
    } catch (RuntimeException refusal) {
      own.refuse(refusal);
    }
  }

  private static AskReply.Builder reply(long correlationId) {
    return AskReply.newBuilder().setCorrelationId(correlationId);
  }

  /** The client may ask another server, unless it is gone. */
  @Override
  public void stopWaiting() {
    waiting.forEach(stream.hasEnded() ? AwaitCall::cancel : AwaitCall::tellUnfinished);
  }

  @Override
  public void over(boolean brokenOff) {}
}
