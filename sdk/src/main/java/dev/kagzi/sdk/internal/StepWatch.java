package dev.kagzi.sdk.internal;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at steps that are executed by the threads of their runs, which cannot look at the time
 * themselves meanwhile. One look at all of them every so often costs less than a timer for each,
 * nearly none of which would ever go off. Rests while there are no steps. Thread-safe.
 */
final class StepWatch implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(StepWatch.class);

  private static final Duration PACE = Duration.ofMillis(20);

  /** Who works step by step must not wake the watch for each. */
  private static final Duration BEFORE_REST = Duration.ofSeconds(1);

  /** What is looked at; must not block. */
  interface Watched {
    void look();
  }

  private final Set<Watched> watched = ConcurrentHashMap.newKeySet();
  private final Thread thread =
      Thread.ofPlatform().daemon().name("kagzi-step-watch").unstarted(this::lookAlways);
  private volatile boolean resting;
  private volatile boolean closed;

  private StepWatch() {}

  static StepWatch start() {
    var watch = new StepWatch();
    watch.thread.start();
    return watch;
  }

  void add(Watched step) {
    watched.add(step);
    if (resting) {
      LockSupport.unpark(thread);
    }
  }

  void remove(Watched step) {
    watched.remove(step);
  }

  private void lookAlways() {
    Deadline rest = Deadline.after(BEFORE_REST);
    while (!closed) {
      if (!watched.isEmpty()) {
        watched.forEach(StepWatch::lookAt);
        rest = Deadline.after(BEFORE_REST);
      } else if (rest.hasPassed()) {
        awaitStep();
        rest = Deadline.after(BEFORE_REST);
      }
      LockSupport.parkNanos(this, PACE.toNanos());
    }
  }

  /** Who adds a step sees that the watch rests, or the watch sees the step. */
  private void awaitStep() {
    resting = true;
    while (watched.isEmpty() && !closed) {
      LockSupport.park(this);
    }
    resting = false;
  }

  private static void lookAt(Watched step) {
    try {
      step.look();
    } catch (RuntimeException | Error bug) {
      // Without the watch no step would have a limit any more.
      LOG.error("A step could not be looked at", bug);
    }
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }
}
