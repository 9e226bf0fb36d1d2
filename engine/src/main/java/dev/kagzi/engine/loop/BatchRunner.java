package dev.kagzi.engine.loop;

import dev.kagzi.engine.domain.BatchId;
import dev.kagzi.engine.operation.BatchWork;
import java.time.Duration;
import java.time.Instant;

/**
 * Carries out batches, a part of each in turn. Every server does; a batch is handled by one at a
 * time. Not thread-safe: one loop runs it.
 */
public final class BatchRunner {

  /** How often it looks for batches that other servers left behind. */
  private static final Duration IDLE = Duration.ofSeconds(15);

  private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

  /** Rounds in one turn, so that a large batch does not keep the engine from closing. */
  private static final int ROUNDS = 10;

  private final BatchWork work;
  private Instant nextLook = Instant.MIN;

  public BatchRunner(BatchWork work) {
    this.work = work;
  }

  /** Handles what is due and returns how many runs that were. */
  public int runOnce(Instant now) {
    if (!work.takeNews() && !isTime(now)) {
      return 0;
    }
    int handled = 0;
    for (int round = 0; round < ROUNDS; round++) {
      int inRound = runRound(now);
      handled += inRound;
      if (inRound == 0) {
        return handled;
      }
    }
    nextLook = now;
    return handled;
  }

  /** A clock that was set back must not make it wait for the old time to come again. */
  private boolean isTime(Instant now) {
    return !now.isBefore(nextLook) || now.plus(IDLE).isBefore(nextLook);
  }

  /** A batch that fails does not keep the others waiting, and is tried again soon. */
  private int runRound(Instant now) {
    nextLook = now.plus(AFTER_FAILURE);
    BatchWork.Agenda agenda = work.agenda(now);
    int handled = 0;
    RuntimeException failure = null;
    for (BatchId batchId : agenda.due()) {
      try {
        handled += work.handle(batchId, now);
      } catch (RuntimeException failed) {
        failure = failed;
      }
    }
    if (failure != null) {
      throw failure;
    }
    Instant latest = now.plus(IDLE);
    nextLook = agenda.next().filter(next -> next.isBefore(latest)).orElse(latest);
    return handled;
  }
}
