package dev.kagzi.sdk.internal;

import dev.kagzi.v1.SuspendResponse;
import dev.kagzi.v1.Wait;
import dev.kagzi.v1.WaitState;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Records waits of branches together: while one call is under way the others collect, and the next
 * takes all of them along. Hundreds of branches so need a few calls. Thread-safe.
 */
final class SharedAsks {

  /** What one call carries at most. */
  private static final int MOST = 5_000;

  private static final class Ask {
    final Wait wait;
    @Nullable WaitState state;

    Ask(Wait wait) {
      this.wait = wait;
    }
  }

  private final RunPass pass;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final List<Ask> open = new ArrayList<>();
  private boolean busy;

  SharedAsks(RunPass pass) {
    this.pass = pass;
  }

  /** Records the wait of a branch, and says how it stands. */
  WaitState ask(Branch branch, Wait wait) throws InterruptedException {
    Ask own = new Ask(wait);
    List<Ask> taken = join(own);
    if (taken.isEmpty()) {
      return answer(own);
    }
    try {
      SuspendResponse response =
          branch.call(
              WorkerRpc.SUSPEND,
              pass.claim()
                  .requests()
                  .suspend()
                  .addAllWaits(taken.stream().map(ask -> ask.wait).toList())
                  .setRelease(false)
                  .build(),
              branch.call());
      for (int i = 0; i < taken.size(); i++) {
        taken.get(i).state = response.getWaits(i);
      }
      return answer(own);
    } finally {
      leave(own, taken);
    }
  }

  private static WaitState answer(Ask own) {
    WaitState state = own.state;
    if (state == null) {
      throw new IllegalStateException("a wait that was asked for has no answer");
    }
    return state;
  }

  /** Waits for an answer; returns what is to be asked if it is this caller's turn to ask. */
  private List<Ask> join(Ask own) throws InterruptedException {
    lock.lock();
    try {
      open.add(own);
      while (busy && own.state == null) {
        changed.await();
      }
      if (own.state != null) {
        return List.of();
      }
      busy = true;
      open.remove(own);
      List<Ask> taken = new ArrayList<>(List.of(own));
      List<Ask> others = open.subList(0, Math.min(open.size(), MOST - 1));
      taken.addAll(others);
      others.clear();
      return taken;
    } catch (InterruptedException gone) {
      open.remove(own);
      throw gone;
    } finally {
      lock.unlock();
    }
  }

  /** What was not answered is for one of the others to ask. */
  private void leave(Ask own, List<Ask> taken) {
    lock.lock();
    try {
      busy = false;
      for (Ask ask : taken) {
        if (ask.state == null && ask != own) {
          open.add(ask);
        }
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
