package dev.kagzi.server.grpc;

import dev.kagzi.engine.commit.CommitListener;
import dev.kagzi.engine.domain.Heard;
import java.util.function.Function;

/** Takes the response to a call, or why it has none; must not block. */
interface CommitReply<T> {

  void respond(T response);

  void fail(Throwable failure);

  /** Whether the thread that brings the call may wait for its commit. */
  default boolean mayWait() {
    return false;
  }

  /** What shared the commit has been responded to: it may travel together. */
  void send();

  /** Hears of a commit and responds with what its outcome says. */
  default <R> CommitListener<R> mapping(Function<Heard<R>, T> toResponse) {
    return new CommitListener<>() {
      @Override
      public boolean mayWait() {
        return CommitReply.this.mayWait();
      }

      @Override
      public void committed(Heard<R> answer) {
        T response;
        try {
          response = toResponse.apply(answer);
        } catch (RuntimeException bug) {
          fail(bug);
          return;
        }
        respond(response);
      }

      @Override
      public void refused(Throwable refusal) {
        fail(refusal);
      }

      @Override
      public void allAnswered() {
        send();
      }
    };
  }
}
