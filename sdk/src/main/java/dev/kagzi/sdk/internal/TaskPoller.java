package dev.kagzi.sdk.internal;

import dev.kagzi.v1.PollTaskResponse;
import dev.kagzi.v1.ReleaseReason;
import dev.kagzi.v1.Task;
import io.grpc.Status;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims runs for the free slots of a worker, one poll after the other, on a thread of its own. A
 * poll that is under way when the worker drains is not broken off: what it still brings is handed
 * back at once rather than left until its lease ends.
 */
final class TaskPoller {

  private static final Logger LOG = LoggerFactory.getLogger(TaskPoller.class);

  /** A server holds a poll that brings nothing much longer than this. */
  private static final Duration SOON = Duration.ofMillis(500);

  /** How long a worker with more work than slots leaves slots empty, to fill many at once. */
  private static final Duration PATIENCE = Duration.ofMillis(5);

  private final Registrar registrar;
  private final WorkerCalls calls;
  private final SlotGate slots;
  private final Listener listener;
  private volatile boolean draining;
  private boolean plenty;

  /** Who takes what the poller brings. */
  interface Listener {
    /** A run was claimed; its slot is given back by whoever takes it. */
    void onTask(Task task);

    /** The server wants the worker to drain. */
    void onDrain();

    /** The server does not know this worker. */
    void onUnknownWorker();
  }

  TaskPoller(Registrar registrar, WorkerCalls calls, SlotGate slots, Listener listener) {
    this.registrar = registrar;
    this.calls = calls;
    this.slots = slots;
    this.listener = listener;
  }

  void start() {
    Thread.ofVirtual().name("kagzi-poller").start(this::pollUntilDrained);
  }

  /** Claims nothing from now on. */
  void drain() {
    draining = true;
  }

  private void pollUntilDrained() {
    var pauses = new Backoff();
    while (!draining) {
      try {
        if (runOnce()) {
          pauses.reset();
        } else {
          pause(pauses);
        }
      } catch (CallFailedException failure) {
        tell(failure);
        pause(pauses);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private void tell(CallFailedException failure) {
    if (draining) {
      return;
    }
    LOG.warn("Polling failed: {} {}", failure.code(), failure.getMessage());
    if (failure.code() == Status.Code.NOT_FOUND) {
      listener.onUnknownWorker();
    }
  }

  private static void pause(Backoff pauses) {
    try {
      Thread.sleep(pauses.next());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Waits for a free slot, then for runs to fill all free slots with.
   *
   * @return whether the next poll may follow at once; not after an empty answer that came too soon
   */
  boolean runOnce() throws InterruptedException {
    int free = plenty ? slots.takeMany(PATIENCE) : slots.takeFree();
    int used = 0;
    try {
      if (draining) {
        return true;
      }
      var soon = Deadline.after(SOON);
      PollTaskResponse response = calls.call(WorkerRpc.POLL_TASK, registrar.pollRequest(free));
      plenty = response.getTasksCount() == free;
      used = handOut(response.getTasksList(), free);
      if (response.getShouldDrain()) {
        listener.onDrain();
      }
      return response.getTasksCount() > 0 || soon.hasPassed();
    } finally {
      slots.giveBack(free - used);
    }
  }

  private int handOut(List<Task> tasks, int free) throws InterruptedException {
    int used = 0;
    for (Task task : tasks) {
      if (draining || used == free) {
        handBack(task);
      } else {
        listener.onTask(task);
        used++;
      }
    }
    return used;
  }

  private void handBack(Task task) throws InterruptedException {
    LOG.debug("Run {} is handed back: there is no slot for it", task.getRunId());
    calls.call(
        WorkerRpc.RELEASE_TASK,
        registrar
            .requestsFor(task.getRunId(), task.getLeaseEpoch())
            .releaseTask()
            .setReason(ReleaseReason.RELEASE_REASON_UNDELIVERED)
            .build());
  }
}
