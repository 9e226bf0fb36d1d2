package dev.kagzi.sdk.internal;

import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * What the runs of a worker and their steps run on: platform threads, which are used again. A step
 * may compute for as long as it likes. On a virtual thread it would have a carrier to itself
 * meanwhile, and as many such steps as there are processors would stop everything else on virtual
 * threads, other runs, reports and an embedded server included. On platform threads the operating
 * system gives everybody a turn.
 *
 * <p>What a worker executes at once beyond {@value #MOST} threads, waiting most of the time no
 * doubt, or beyond what the system grants, runs on virtual threads, which take less memory.
 * Thread-safe.
 */
final class StepThreads implements AutoCloseable {

  static final int MOST = 2000;

  private static final long IDLE_SECONDS = 10;
  private static final String IDLE = "kagzi-step-idle";

  private final ThreadPoolExecutor pool;

  StepThreads() {
    this(MOST);
  }

  StepThreads(int most) {
    RejectedExecutionHandler onVirtualThread = (work, full) -> Thread.ofVirtual().start(work);
    this.pool =
        new ThreadPoolExecutor(
            0,
            most,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            Thread.ofPlatform().daemon().name(IDLE).factory(),
            onVirtualThread);
  }

  /** Has this done at once on another thread, which is called so meanwhile. */
  void run(String name, Runnable work) {
    Runnable named =
        () -> {
          Thread.currentThread().setName(name);
          try {
            work.run();
          } finally {
            tidyUp();
          }
        };
    try {
      pool.execute(named);
    } catch (OutOfMemoryError noMoreThreads) {
      Thread.ofVirtual().start(named);
    }
  }

  /** The next step of the thread must not notice this one. */
  private static void tidyUp() {
    MdcKeys.clear();
    Thread.currentThread().setName(IDLE);
  }

  /** Keeps no thread from now on; what runs goes on. */
  @Override
  public void close() {
    pool.shutdown();
  }
}
