package dev.kagzi.sdk.internal;

import dev.kagzi.core.Durations;
import dev.kagzi.sdk.KagziException;
import dev.kagzi.sdk.payload.PayloadCodec;
import dev.kagzi.v1.ReleaseReason;
import dev.kagzi.v1.Task;
import dev.kagzi.v1.WorkResponse;
import dev.kagzi.v1.WorkerServiceGrpc;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A worker from its registration to its leave: wires what claims, executes and beats, and takes it
 * down in the right order. Thread-safe.
 */
public final class WorkerSession {

  private static final Logger LOG = LoggerFactory.getLogger(WorkerSession.class);

  /** How long handing back runs that were broken off may take. */
  private static final Duration LAST_WORDS = Duration.ofSeconds(3);

  private enum State {
    NEW,
    STARTED,
    STOPPING
  }

  private final WorkerOptions options;
  private final Registrations registrations;
  private final ServerConnection workConnection;
  private final ServerConnection beatConnection;
  private final Registrar registrar;
  private final WorkerCalls calls;
  private final HeldRuns held = new HeldRuns();
  private final SlotGate slots;
  private final RunExecutor executor;
  private final ScheduledThreadPoolExecutor timer;
  private final StepThreads threads = new StepThreads();
  private final StepWatch watch = StepWatch.start();
  private final TaskPoller poller;
  private final HeartbeatLoop heartbeat;
  private final AtomicReference<State> state = new AtomicReference<>(State.NEW);
  private final CountDownLatch stopped = new CountDownLatch(1);
  private volatile @Nullable KagziException refusal;

  public WorkerSession(
      WorkerOptions options,
      WorkerBadge badge,
      PayloadCodec codec,
      ErrorHandling errors,
      Registrations registrations) {
    var events = new Events();
    var counters = new RunCounters();
    this.options = options;
    this.registrations = registrations;
    this.workConnection = ServerConnection.open(options.address());
    this.beatConnection = ServerConnection.open(options.address());
    this.registrar = new Registrar(beatConnection, options, badge, registrations);
    this.calls = new WorkerCalls(workConnection, registrar::hello, events);
    this.slots = new SlotGate(options.maxConcurrent());
    this.timer = timer();
    this.executor =
        new RunExecutor(
            registrations,
            new WorkerTools(
                codec,
                threads,
                new StepAnnouncer(calls),
                new ErrorDetails(errors),
                new StuckThreads(timer, this::stopInBackground),
                watch),
            calls,
            counters);
    this.poller = new TaskPoller(registrar, calls, slots, events);
    this.heartbeat = new HeartbeatLoop(beatConnection, registrar, held, counters, events);
  }

  private static ScheduledThreadPoolExecutor timer() {
    var timer =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("kagzi-timer").factory());
    timer.setRemoveOnCancelPolicy(true);
    return timer;
  }

  private void stopInBackground() {
    if (state.get() == State.STARTED) {
      Thread.ofPlatform().daemon().name("kagzi-drain").start(this::stop);
    }
  }

  /** What the parts of the worker tell each other. */
  private final class Events
      implements WorkerCalls.Listener, TaskPoller.Listener, HeartbeatLoop.Listener {

    @Override
    public void onTask(Task task) {
      ClaimedRun claim = ClaimedRun.of(task, registrar);
      if (!held.add(claim.held())) {
        slots.giveBack(1);
        return;
      }
      heartbeat.heed(claim.held());
      executor.start(
          claim,
          () -> {
            held.remove(claim.held());
            slots.giveBack(1);
          });
    }

    @Override
    public void onNews(WorkResponse frame) {
      held.tellEnded(frame.getEndedWaitsList());
    }

    @Override
    public void onReconnect() {
      heartbeat.beatNow();
    }

    @Override
    public void onUnknownWorker() {
      heartbeat.beatNow();
    }

    @Override
    public void onNewIdentity() {
      calls.renewStream();
    }

    @Override
    public void onDrain() {
      if (state.get() == State.STARTED) {
        LOG.info("The server asks this worker to drain");
        stopInBackground();
      }
    }
  }

  /**
   * Begins to work. Tries once to register before it returns; if no server answers, goes on trying
   * in the background.
   *
   * @throws KagziException if the server refuses the worker
   */
  public void start() {
    if (!state.compareAndSet(State.NEW, State.STARTED)) {
      throw new IllegalStateException("The worker was started before (expected: start it once)");
    }
    try {
      registrar.register();
      begin();
    } catch (CallFailedException failure) {
      if (!failure.isPassing()) {
        stop();
        throw beatConnection.translate(failure);
      }
      LOG.warn(
          "The worker could not register and goes on trying: {}",
          beatConnection.translate(failure).getMessage());
      Thread.ofPlatform().daemon().name("kagzi-register").start(this::registerInBackground);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      stop();
      throw new KagziException("Interrupted while the worker was starting", e);
    }
  }

  private void registerInBackground() {
    var pauses = new Backoff();
    while (state.get() == State.STARTED) {
      try {
        Thread.sleep(pauses.next());
        registrar.register();
        begin();
        return;
      } catch (CallFailedException failure) {
        if (!failure.isPassing()) {
          LOG.error("The server refuses this worker: {}", failure.getMessage());
          refusal = beatConnection.translate(failure);
          stop();
        }
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  /** Lets the worker loose, unless it was stopped in the meantime. */
  private synchronized void begin() {
    if (state.get() != State.STARTED) {
      return;
    }
    LOG.info(
        "Worker {} serves queue '{}' with {}",
        registrar.terms().workerId(),
        options.queue(),
        registrations.labels());
    heartbeat.start();
    poller.start();
  }

  /** Drains the worker and takes it down; returns when that is done. May be called repeatedly. */
  public void stop() {
    State before = state.getAndSet(State.STOPPING);
    if (before == State.STOPPING) {
      awaitEnd();
      return;
    }
    poller.drain();
    boolean interrupted = false;
    try {
      drain();
    } catch (InterruptedException e) {
      interrupted = true;
    } finally {
      close();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void drain() throws InterruptedException {
    if (!registrar.isRegistered()) {
      return;
    }
    if (held.size() > 0) {
      String limit = Durations.format(options.drainTimeout());
      LOG.info("The worker drains: {} run(s) have {} to end", held.size(), limit);
      deregister(true);
    }
    if (!held.awaitEmpty(Deadline.after(options.drainTimeout()))) {
      giveBackTheRest();
    }
    // A beat after the leave would register the worker anew.
    heartbeat.close();
    deregister(false);
    LOG.info("Worker {} has left", registrar.terms().workerId());
  }

  private void deregister(boolean drain) throws InterruptedException {
    try {
      registrar.deregister(drain);
    } catch (CallFailedException failure) {
      LOG.info("The server was not told that this worker leaves: {}", failure.getMessage());
    }
  }

  private void giveBackTheRest() throws InterruptedException {
    List<HeldRun> rest = held.live();
    LOG.warn("{} run(s) have not ended in time; they are handed back", rest.size());
    rest.forEach(run -> run.stop("the worker shuts down"));
    var deadline = Deadline.after(LAST_WORDS);
    List<Thread> couriers =
        rest.stream()
            // Not on carriers, which workflows may have taken that compute outside of steps.
            .map(run -> Thread.ofPlatform().daemon().start(() -> giveBack(run)))
            .toList();
    for (Thread courier : couriers) {
      courier.join(deadline.remaining());
    }
    held.awaitEmpty(deadline);
  }

  private void giveBack(HeldRun run) {
    try {
      var release =
          registrar
              .requestsFor(run.runId(), run.epoch())
              .releaseTask()
              .setReason(ReleaseReason.RELEASE_REASON_SHUTDOWN)
              .build();
      // Not behind what runs are at that may never end.
      beatConnection.call(
          WorkerServiceGrpc::newBlockingStub,
          stub -> WorkerRpc.RELEASE_TASK.alone().apply(stub, release),
          LAST_WORDS);
    } catch (CallFailedException e) {
      LOG.info("Run {} was not handed back: {}", run.runId(), e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized void close() {
    heartbeat.close();
    timer.shutdownNow();
    threads.close();
    watch.close();
    calls.close();
    workConnection.close();
    beatConnection.close();
    stopped.countDown();
  }

  /**
   * Waits until the worker has stopped; an interruption stops it.
   *
   * @throws KagziException if it stopped because the server refused it
   */
  public void awaitStopped() {
    if (!awaitEnd()) {
      stop();
    }
    KagziException why = refusal;
    if (why != null) {
      throw why;
    }
  }

  private boolean awaitEnd() {
    try {
      stopped.await();
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  public Optional<String> workerId() {
    return registrar.isRegistered() ? Optional.of(registrar.terms().workerId()) : Optional.empty();
  }

  public int activeCount() {
    return held.size();
  }
}
