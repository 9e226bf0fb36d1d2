package dev.kagzi.engine.commit;

import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/** How a caller waits for its answer. */
final class Waiting {

  private Waiting() {}

  static <T> T on(Future<T> answer) {
    try {
      return answer.get();
    } catch (ExecutionException refused) {
      // One refusal may be the answer to many callers; it carries no stack trace of any of them.
      if (refused.getCause() instanceof RuntimeException refusal) {
        throw refusal;
      }
      throw new IllegalStateException(refused.getCause());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new EngineException(
          ErrorCode.SHUTTING_DOWN, "interrupted while waiting; the write may still take effect");
    }
  }
}
