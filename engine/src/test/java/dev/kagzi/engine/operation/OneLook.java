package dev.kagzi.engine.operation;

import dev.kagzi.engine.domain.Task;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

/** One look for work: what is due is handed over, and nobody waits for more. */
public final class OneLook {

  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final long BREATH_NANOS = 20_000;

  private OneLook() {}

  /** Polls until one claim has been made for the request, without the help of any timer. */
  public static List<Task> at(Tasks tasks, Poll.Request request) {
    CompletableFuture<List<Task>> answer = new CompletableFuture<>();
    Poll poll = tasks.poll(request, LIMIT, new Answering(answer));
    long begun = System.nanoTime();
    while (!answer.isDone() && !(poll.isLookedUp() && poll.isOpen())) {
      if (System.nanoTime() - begun > LIMIT.toNanos()) {
        throw new AssertionError("no claim was made for " + request);
      }
      LockSupport.parkNanos(BREATH_NANOS);
    }
    poll.cancel();
    return answer.getNow(List.of());
  }

  private record Answering(CompletableFuture<List<Task>> answer) implements Poll.Listener {
    @Override
    public boolean tasks(List<Task> tasks) {
      return answer.complete(tasks);
    }

    @Override
    public void empty() {
      answer.complete(List.of());
    }
  }
}
