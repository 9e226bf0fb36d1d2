package dev.kagzi.sdk.internal;

import dev.kagzi.v1.HeartbeatRequest;
import dev.kagzi.v1.HeartbeatResponse;
import dev.kagzi.v1.WorkerServiceGrpc;
import io.grpc.Status;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a worker alive in the eyes of the server, and stops what is not its own any more.
 *
 * <p>Runs on a platform thread and a channel of its own, so that neither busy carriers nor large
 * frames delay it. It beats as often as the server told it to, and at least three times in the
 * shortest lease among the runs that are held. Each beat names exactly the runs that are held; the
 * answer names those that were lost. The loop also fences the worker: when no beat was accepted for
 * most of a run's lease, counted by the monotonic clock from when the last accepted one was sent,
 * the run is stopped before the server may hand it to somebody else.
 */
final class HeartbeatLoop implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(HeartbeatLoop.class);

  private static final Duration SHORTEST_LIMIT = Duration.ofMillis(100);
  private static final Duration LONGEST_LIMIT = Duration.ofSeconds(5);
  private static final Duration LAST_MOMENT = Duration.ofMillis(500);

  private final ServerConnection connection;
  private final Registrar registrar;
  private final HeldRuns held;
  private final RunCounters counters;
  private final Listener listener;
  private final Semaphore signals = new Semaphore(0);
  private final Backoff pauses = new Backoff();
  private final Thread thread;
  private long beatId;
  private RunCounters.@Nullable Ended untold;
  private boolean failing;
  private volatile boolean calledFor;
  private volatile boolean closed;

  /** Who wants to know what a beat brought; must not block. */
  interface Listener {
    /** The server wants the worker to drain. */
    void onDrain();

    /** The worker was registered anew and has another id. */
    void onNewIdentity();
  }

  HeartbeatLoop(
      ServerConnection connection,
      Registrar registrar,
      HeldRuns held,
      RunCounters counters,
      Listener listener) {
    this.connection = connection;
    this.registrar = registrar;
    this.held = held;
    this.counters = counters;
    this.listener = listener;
    this.thread = Thread.ofPlatform().daemon().name("kagzi-heartbeat").unstarted(this::beatAlways);
  }

  void start() {
    thread.start();
  }

  /** Beats without waiting for the interval to end. May be called from any thread. */
  void beatNow() {
    calledFor = true;
    signals.release();
  }

  /** Lets the loop see a run that may want beats sooner than planned. From any thread. */
  void heed(HeldRun claimed) {
    if (claimed.beatInterval().compareTo(registrar.terms().heartbeatInterval()) < 0) {
      signals.release();
    }
  }

  private void beatAlways() {
    Duration pause = registrar.terms().heartbeatInterval();
    while (!closed) {
      try {
        awaitTurn(System.nanoTime(), pause);
        pause = closed ? Duration.ZERO : runOnce();
      } catch (InterruptedException e) {
        return;
      } catch (RuntimeException e) {
        LOG.error("A heartbeat failed unexpectedly", e);
        pause = pauses.next();
      }
    }
  }

  /**
   * Waits for the next beat, stopping on the way what is no longer to be trusted. Looks again at
   * how soon it must come whenever a run with a short lease was claimed.
   */
  private void awaitTurn(long since, Duration pause) throws InterruptedException {
    Deadline next = Deadline.after(since, held.beatInterval(pause));
    while (!next.hasPassed()) {
      Duration wait = next.atMost(held.trustedFor());
      if (signals.tryAcquire(Math.max(1, wait.toNanos()), TimeUnit.NANOSECONDS)) {
        signals.drainPermits();
        if (calledFor) {
          break;
        }
      }
      held.stopUntrusted();
      next = Deadline.after(since, held.beatInterval(pause));
    }
    calledFor = false;
  }

  /**
   * Beats once.
   *
   * @return how long to wait for the next one
   */
  Duration runOnce() throws InterruptedException {
    held.stopUntrusted();
    List<HeldRun> listed = held.live();
    long sentAt = System.nanoTime();
    try {
      HeartbeatResponse response = send(listed);
      if (!response.getAccepted()) {
        return failed("the server did not accept it");
      }
      accepted(response, listed, sentAt);
      return registrar.terms().heartbeatInterval();
    } catch (CallFailedException failure) {
      if (failure.code() == Status.Code.NOT_FOUND) {
        return registerAnew();
      }
      return failed(failure.code() + " " + failure.getMessage());
    }
  }

  private HeartbeatResponse send(List<HeldRun> listed) throws InterruptedException {
    HeartbeatRequest request = request(listed);
    return connection.once(
        WorkerServiceGrpc::newBlockingStub, stub -> stub.heartbeat(request), limit());
  }

  /** A beat that hangs must not keep the loop from stopping runs in time. */
  private Duration limit() {
    Duration trusted = held.trustedFor();
    if (trusted.compareTo(SHORTEST_LIMIT) < 0) {
      return SHORTEST_LIMIT;
    }
    return trusted.compareTo(LONGEST_LIMIT) < 0 ? trusted : LONGEST_LIMIT;
  }

  /** A repeated beat carries its number and counters again, so that they count once. */
  private HeartbeatRequest request(List<HeldRun> listed) {
    RunCounters.Ended ended = untold;
    if (ended == null) {
      ended = counters.untold();
      untold = ended;
      beatId++;
    }
    HeartbeatRequest.Builder request =
        registrar
            .heartbeat()
            .setBeatId(beatId)
            .setActiveCount(listed.size())
            .setCompletedDelta(ended.completed())
            .setFailedDelta(ended.failed());
    for (HeldRun run : listed) {
      request.addRunsBuilder().setRunId(run.runId()).setLeaseEpoch(run.epoch());
    }
    return request.build();
  }

  private void accepted(HeartbeatResponse response, List<HeldRun> listed, long sentAt) {
    if (untold != null) {
      counters.subtract(untold);
      untold = null;
    }
    listed.forEach(run -> run.confirm(sentAt));
    held.heed(response.getNews());
    held.askForNews();
    if (failing) {
      LOG.info("Heartbeats are accepted again");
      failing = false;
    }
    pauses.reset();
    if (response.getShouldDrain()) {
      listener.onDrain();
    }
  }

  private Duration failed(String why) {
    if (!failing) {
      LOG.warn("A heartbeat failed and is tried again until the leases run out: {}", why);
    }
    failing = true;
    return pauses.next();
  }

  private Duration registerAnew() throws InterruptedException {
    try {
      ServerTerms terms = registrar.register();
      LOG.info("The server had forgotten this worker; it is registered as {}", terms.workerId());
      listener.onNewIdentity();
      return Duration.ZERO;
    } catch (CallFailedException failure) {
      return failed("registering anew: " + failure.getMessage());
    }
  }

  /**
   * Ends the loop; when this returns there is no beat under way any more. One that is gets a moment
   * to end by itself: it may be registering the worker anew, under an id that has to leave too.
   */
  @Override
  public void close() {
    closed = true;
    beatNow();
    try {
      thread.join(LAST_MOMENT.toMillis());
      thread.interrupt();
      thread.join(LONGEST_LIMIT.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
