package dev.kagzi.server.grpc;

import com.google.protobuf.MessageLite;
import io.grpc.stub.StreamObserver;
import java.util.function.Supplier;

/** How a call with one answer is answered. */
final class Unary {

  private Unary() {}

  /** Answers with what the handler returns, or with the error it throws. */
  static <R extends MessageLite> void answer(StreamObserver<R> caller, Supplier<R> handler) {
    R response;
    try {
      response = handler.get();
      ReplyTooLargeException.refuse(response);
    } catch (RuntimeException failure) {
      caller.onError(ErrorMapper.toException(failure));
      return;
    }
    send(caller, response);
  }

  /** Answers with what somebody else will say. */
  static <R> CommitReply<R> reply(StreamObserver<R> caller) {
    return new CommitReply<>() {
      @Override
      public void respond(R response) {
        Unary.send(caller, response);
      }

      @Override
      public void fail(Throwable failure) {
        caller.onError(ErrorMapper.toException(failure));
      }

      @Override
      public void send() {}
    };
  }

  static <R> void send(StreamObserver<R> caller, R response) {
    caller.onNext(response);
    caller.onCompleted();
  }
}
