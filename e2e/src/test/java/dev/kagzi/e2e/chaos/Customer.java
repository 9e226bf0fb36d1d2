package dev.kagzi.e2e.chaos;

import static org.awaitility.Awaitility.await;

import dev.kagzi.sdk.CancelOutcome;
import dev.kagzi.sdk.KagziException;
import dev.kagzi.sdk.RequestRefusedException;
import dev.kagzi.sdk.ReusePolicy;
import dev.kagzi.sdk.ServerUnavailableException;
import dev.kagzi.sdk.WorkflowFailedException;
import dev.kagzi.sdk.client.KagziClient;
import dev.kagzi.sdk.client.WorkflowHandle;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.awaitility.core.ConditionTimeoutException;

/**
 * The client: starts jobs at a steady pace, sends the events they wait for, cancels some, awaits
 * some, and writes down every call that was acknowledged.
 */
final class Customer implements AutoCloseable {

  /** The kinds of calls that are acknowledged. */
  enum Kind {
    START,
    EVENT,
    CANCEL,
    RESULT
  }

  /**
   * An acknowledged call.
   *
   * @param key the external id of the run that is meant
   * @param runId the run that the server named
   * @param detail the event, the outcome of a cancel, the result
   * @param sentNanos when it was sent for the first time, as {@link System#nanoTime} has it
   * @param doneNanos when it was answered
   */
  record Ack(Kind kind, String key, String runId, String detail, long sentNanos, long doneNanos) {}

  private static final int TWICE_IN = 20;
  private static final int AWAITED_IN = 5;
  private static final Duration LONGEST_RUN = Duration.ofMinutes(10);
  private static final int LINES = 4;

  private final List<KagziClient> clients;
  private final long firstSeed;
  private final ScheduledExecutorService pace = Executors.newSingleThreadScheduledExecutor();
  private final ExecutorService calls = Executors.newVirtualThreadPerTaskExecutor();
  private final AtomicInteger open = new AtomicInteger();
  private final AtomicInteger sent = new AtomicInteger();
  private final AtomicInteger repeated = new AtomicInteger();
  private final AtomicBoolean closing = new AtomicBoolean();
  private final Queue<Ack> acks = new ConcurrentLinkedQueue<>();
  private final Queue<String> surprises = new ConcurrentLinkedQueue<>();

  /** Begins at once, over several lines, so that no server is without one. */
  Customer(String address, long seed, int perSecond) {
    this.clients = Stream.generate(() -> KagziClient.connect(address)).limit(LINES).toList();
    this.firstSeed = Math.floorMod(seed, 1_000_000_007L) * 1_000_000;
    var unused =
        pace.scheduleAtFixedRate(
            () -> begin(() -> doBusiness(sent.incrementAndGet())),
            0,
            TimeUnit.SECONDS.toNanos(1) / perSecond,
            TimeUnit.NANOSECONDS);
  }

  private void begin(Runnable business) {
    open.incrementAndGet();
    calls.execute(() -> {
      try {
        business.run();
      } finally {
        open.decrementAndGet();
      }
    });
  }

  KagziClient client() {
    return clients.getFirst();
  }

  /** Each in turn, by the number of the job. */
  private KagziClient client(Job job) {
    return clients.get((int) (job.seed() % LINES));
  }

  private void doBusiness(int number) {
    Job job = Job.of(firstSeed + number);
    String id = "job-" + job.seed();
    try {
      if (number % TWICE_IN == 0) {
        begin(() -> startAgain(id, job));
      }
      WorkflowHandle<String> run = start(id, job);
      if (job.stoppable()) {
        begin(() -> cancel(id, run, Program.cancelAfterMillis(job.seed())));
      }
      sendEvents(id, job, run);
      if (number % AWAITED_IN == 0) {
        awaitResult(id, job, run);
      }
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      surprises.add(id + ": " + e);
    }
  }

  /** The same start by somebody else; both must get the same run. */
  private void startAgain(String id, Job job) {
    try {
      start(id, job);
    } catch (RuntimeException e) {
      surprises.add(id + " again: " + e);
    }
  }

  /** Something to ask a server for. */
  interface Call<T> {
    T make();
  }

  /** Makes a call until a server answers it. */
  <T> T insist(Call<T> call) {
    while (true) {
      try {
        return call.make();
      } catch (ServerUnavailableException e) {
        repeated.incrementAndGet();
        if (closing.get()) {
          throw e;
        }
      }
    }
  }

  private WorkflowHandle<String> start(String id, Job job) {
    long began = System.nanoTime();
    return insist(() -> {
      var start =
          client(job)
              .start(Interpreter.TYPE)
              .id(id)
              .reusePolicy(ReusePolicy.REJECT)
              .queue(Interpreter.QUEUE)
              .input(job);
      var run = start.send();
      acknowledge(Kind.START, id, run.runId(), "", began);
      return run;
    });
  }

  private void acknowledge(Kind kind, String key, String runId, String detail, long began) {
    acks.add(new Ack(kind, key, runId, detail, began, System.nanoTime()));
  }

  private void sendEvents(String id, Job job, WorkflowHandle<String> run)
      throws InterruptedException {
    List<Op.Await> events = Program.of(job).events();
    for (Op.Await event : events) {
      if (event.early()) {
        send(id, job, run, event);
      }
    }
    for (Op.Await event : events) {
      if (!event.early()) {
        TimeUnit.MILLISECONDS.sleep(event.afterMillis());
        send(id, job, run, event);
      }
    }
  }

  private void send(String id, Job job, WorkflowHandle<String> run, Op.Await event) {
    String name = event.name();
    long began = System.nanoTime();
    try {
      insist(() ->
          client(job).send(run.runId(), Interpreter.event(name), job.value(name), "key-" + name));
      acknowledge(Kind.EVENT, id, run.runId(), name, began);
    } catch (RequestRefusedException ended) {
      if (!job.stoppable()) {
        throw ended;
      }
    }
  }

  private void cancel(String id, WorkflowHandle<String> run, int afterMillis) {
    try {
      TimeUnit.MILLISECONDS.sleep(afterMillis);
      long began = System.nanoTime();
      CancelOutcome outcome = insist(() -> run.cancel("the client wants it"));
      acknowledge(Kind.CANCEL, id, run.runId(), outcome.name(), began);
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      surprises.add(id + " cancel: " + e);
    }
  }

  private void awaitResult(String id, Job job, WorkflowHandle<String> run)
      throws InterruptedException {
    long began = System.nanoTime();
    try {
      acknowledge(Kind.RESULT, id, run.runId(), run.result(LONGEST_RUN), began);
    } catch (WorkflowFailedException e) {
      acknowledge(Kind.RESULT, id, run.runId(), e.status().name(), began);
    } catch (TimeoutException e) {
      surprises.add(id + ": no result of " + job);
    } catch (KagziException e) {
      if (!closing.get()) {
        throw e;
      }
    }
  }

  /** Everything that was acknowledged so far. */
  List<Ack> acks() {
    return List.copyOf(acks);
  }

  /** How many jobs were to be started so far. */
  int sent() {
    return sent.get();
  }

  /** How many acknowledged starts there are so far. */
  long started() {
    return acks.stream().filter(ack -> ack.kind() == Kind.START).count();
  }

  /** Calls that no server answered in time and that were made again. */
  int repeated() {
    return repeated.get();
  }

  /** What no client should ever see. */
  List<String> surprises() {
    return List.copyOf(surprises);
  }

  /** Starts nothing more. */
  void rest() {
    pace.shutdown();
  }

  /** Waits until every call is answered; if that takes too long it is a surprise. */
  void awaitAnswers(Duration limit) {
    rest();
    try {
      await().atMost(limit).until(() -> pace.isTerminated() && open.get() == 0);
    } catch (ConditionTimeoutException e) {
      surprises.add(open.get() + " calls without an answer for " + limit);
    }
  }

  @Override
  public void close() {
    closing.set(true);
    pace.shutdownNow();
    calls.shutdownNow();
    clients.forEach(KagziClient::close);
  }
}
