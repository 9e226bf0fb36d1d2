package dev.kagzi.cli.shell;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.LoggerFactory;

/**
 * What a command holds, and when to let go of it: in reverse order, when the command ends by itself
 * or a signal ends it.
 *
 * <p>A signal only interrupts the command, whose own thread then releases everything, so that
 * nothing is released while it is still being made. A command that does not react in time is not
 * waited for. Thread-safe.
 */
public final class Lifetime {
  private static final int REACTION_SECONDS = 20;

  private final Thread command;
  private final Deque<AutoCloseable> held = new ArrayDeque<>();
  private final CountDownLatch told = new CountDownLatch(1);
  private final CountDownLatch releasing = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);

  /** A lifetime for the command that runs on the calling thread. */
  public Lifetime() {
    this.command = Thread.currentThread();
  }

  /**
   * Takes over something that must be closed at the end.
   *
   * @throws CancellationException if the end has come already; it is closed with the rest
   */
  public <T extends AutoCloseable> T hold(T resource) {
    synchronized (held) {
      held.push(resource);
    }
    if (isEnding()) {
      throw new CancellationException("the command was told to end");
    }
    return resource;
  }

  /** Whether somebody asked the command to end. */
  public boolean isEnding() {
    return told.getCount() == 0;
  }

  /** Waits until somebody asks the command to end; false if that did not happen in time. */
  public boolean awaitEnding(long millis) {
    try {
      return told.await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      return true;
    }
  }

  /** Tells the command to end, and returns when everything it held is released. */
  public void end() {
    told.countDown();
    interruptUnlessReleasing();
    try {
      if (releasing.await(REACTION_SECONDS, TimeUnit.SECONDS)) {
        released.await();
      } else {
        release();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void interruptUnlessReleasing() {
    synchronized (held) {
      if (releasing.getCount() > 0) {
        command.interrupt();
      }
    }
  }

  /** Closes everything, the latest first; what cannot be closed does not keep the others. */
  public void release() {
    synchronized (held) {
      releasing.countDown();
      // Whoever interrupted us wanted this; the closing itself must not be broken off.
      Thread.interrupted();
    }
    for (var next = latest(); next.isPresent(); next = latest()) {
      close(next.get());
    }
    released.countDown();
  }

  private Optional<AutoCloseable> latest() {
    synchronized (held) {
      return Optional.ofNullable(held.poll());
    }
  }

  private static void close(AutoCloseable resource) {
    try {
      resource.close();
    } catch (Exception e) {
      LoggerFactory.getLogger(Lifetime.class)
          .warn("{} could not be closed", resource.getClass().getSimpleName(), e);
    }
  }
}
