package dev.kagzi.sdk.fake;

import com.google.protobuf.Duration;
import com.google.protobuf.Timestamp;
import dev.kagzi.v1.HistoryItem;
import dev.kagzi.v1.Payload;
import dev.kagzi.v1.RetryPolicy;
import dev.kagzi.v1.StartWorkflowRequest;
import dev.kagzi.v1.StopKind;
import dev.kagzi.v1.StopRequest;
import dev.kagzi.v1.Task;
import dev.kagzi.v1.WorkflowRun;
import dev.kagzi.v1.WorkflowStatus;
import dev.kagzi.v1.WorkflowTypeVersion;
import io.grpc.Status;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The runs of a fake server, behind one lock. */
public final class FakeRuns {

  static final Duration LEASE = Duration.newBuilder().setSeconds(30).build();

  private final Map<String, FakeRun> runs = new LinkedHashMap<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private int started;
  volatile Duration lease = LEASE;
  volatile int historyPageSize = Integer.MAX_VALUE;

  /** Starts a run from the test's side. */
  public String start(String type, @Nullable String json) {
    return change(() -> {
      var id = "run-%d".formatted(++started);
      Payload input = json == null ? null : Payload.newBuilder().setJson(json).build();
      runs.put(id, new FakeRun(id, type, "", input));
      return id;
    });
  }

  FakeRun start(StartWorkflowRequest request) {
    return change(() ->
        runs.computeIfAbsent(
            request.getRequestId(),
            id ->
                new FakeRun(
                    id,
                    request.getWorkflowType(),
                    request.getVersion(),
                    request.hasInput() ? request.getInput() : null)));
  }

  private <R> R change(Supplier<R> change) {
    lock.lock();
    try {
      return change.get();
    } finally {
      changed.signalAll();
      lock.unlock();
    }
  }

  /** Puts something into the history of a run before it is claimed. */
  public void record(String runId, HistoryItem item) {
    with(runId, run -> run.record(item));
  }

  public void with(String runId, Consumer<FakeRun> act) {
    read(
        runId,
        run -> {
          act.accept(run);
          return run;
        });
  }

  <R> R read(String runId, Function<FakeRun, R> act) {
    return change(() -> {
      FakeRun run = runs.get(runId);
      if (run == null) {
        throw Refusals.refusal(Status.Code.NOT_FOUND, "RUN_NOT_FOUND");
      }
      return act.apply(run);
    });
  }

  /** Does something to a run if the caller still holds it. */
  <R> R fenced(String runId, int epoch, Function<FakeRun, R> act) {
    return read(
        runId,
        run -> {
          if (!run.isHeldUnder(epoch)) {
            throw Refusals.refusal(Status.Code.ABORTED, "LEASE_LOST");
          }
          return act.apply(run);
        });
  }

  public WorkflowRun view(String runId) {
    return read(runId, FakeRun::view);
  }

  public boolean isFinished(String runId) {
    return read(runId, FakeRun::isTerminal);
  }

  public List<HistoryItem> steps(String runId) {
    return read(runId, run -> List.copyOf(run.steps.values()));
  }

  /** What is recorded under a key; an empty item if nothing is. */
  public HistoryItem step(String runId, String key) {
    return read(runId, run -> run.steps.getOrDefault(key, HistoryItem.getDefaultInstance()));
  }

  /** Lets time pass: a sleeping run is ready again. */
  public void wake(String runId) {
    with(
        runId,
        run -> {
          run.endSleeps();
          run.status = WorkflowStatus.WORKFLOW_STATUS_PENDING;
        });
  }

  /** Gives a run a lease of its own. */
  public void ownLease(String runId, java.time.Duration ownLease) {
    with(runId, run -> run.lease = toWire(ownLease));
  }

  /** Asks a run to undo its work and to end. */
  public void requestStop(String runId, StopKind kind, String reason) {
    with(
        runId,
        run -> run.stopRequest = StopRequest.newBuilder().setKind(kind).setReason(reason).build());
  }

  /** Gives a run a policy, as its starter would. */
  public void retryPolicy(String runId, RetryPolicy policy) {
    with(runId, run -> run.retryPolicy = policy);
  }

  /** Gives the steps of a run a limit, as its starter would. */
  public void stepTimeout(String runId, java.time.Duration timeout) {
    with(runId, run -> run.stepTimeout = toWire(timeout));
  }

  /** Takes a run away from whoever holds it; nobody gets it. */
  public void takeAway(String runId) {
    with(
        runId,
        run -> {
          run.epoch++;
          run.status = WorkflowStatus.WORKFLOW_STATUS_SLEEPING;
        });
  }

  /** Sets how many steps a page of history holds. */
  public void historyPageSize(int size) {
    historyPageSize = size;
  }

  /** Lets a run be claimed, by whoever polls. */
  public void makeReady(String runId) {
    with(runId, run -> run.status = WorkflowStatus.WORKFLOW_STATUS_PENDING);
  }

  List<Task> claim(List<WorkflowTypeVersion> types, int max, java.time.Duration wait)
      throws InterruptedException {
    long left = wait.toNanos();
    lock.lock();
    try {
      List<Task> tasks = claimReady(types, max);
      while (tasks.isEmpty() && left > 0) {
        left = changed.awaitNanos(left);
        tasks = claimReady(types, max);
      }
      return tasks;
    } finally {
      lock.unlock();
    }
  }

  private List<Task> claimReady(List<WorkflowTypeVersion> types, int max) {
    var tasks = new ArrayList<Task>();
    for (FakeRun run : runs.values()) {
      boolean ready = run.status == WorkflowStatus.WORKFLOW_STATUS_PENDING;
      if (ready && tasks.size() < max && isServed(run, types)) {
        run.status = WorkflowStatus.WORKFLOW_STATUS_RUNNING;
        run.epoch++;
        tasks.add(task(run));
      }
    }
    return tasks;
  }

  private static boolean isServed(FakeRun run, List<WorkflowTypeVersion> types) {
    return types.stream()
        .anyMatch(type ->
            type.getWorkflowType().equals(run.type) && type.getVersion().equals(run.version));
  }

  private Task task(FakeRun run) {
    var task =
        Task.newBuilder()
            .setRunId(run.id)
            .setLeaseEpoch(run.epoch)
            .setWorkflowType(run.type)
            .setVersion(run.version)
            .setEngineTime(now())
            .setLeaseDuration(run.lease == null ? lease : run.lease)
            .setRetryPolicy(run.retryPolicy);
    if (run.input != null) {
      task.setInput(run.input);
    }
    if (run.stepTimeout != null) {
      task.setStepTimeout(run.stepTimeout);
    }
    run.ifStopRequested(task::setStopRequested);
    List<HistoryItem> first = page(run, 0);
    task.addAllHistory(first);
    return task.setHistoryNextPageToken(tokenAfter(run, first.size())).build();
  }

  List<HistoryItem> page(FakeRun run, int from) {
    return run.steps.values().stream().skip(from).limit(historyPageSize).toList();
  }

  String tokenAfter(FakeRun run, int end) {
    return end < run.steps.size() ? Integer.toString(end) : "";
  }

  /** Waits until a run is as wanted. */
  boolean await(String runId, Predicate<FakeRun> wanted, java.time.Duration limit)
      throws InterruptedException {
    long left = limit.toNanos();
    lock.lock();
    try {
      FakeRun run = runs.get(runId);
      while (run != null && !wanted.test(run) && left > 0) {
        left = changed.awaitNanos(left);
      }
      return run != null && wanted.test(run);
    } finally {
      lock.unlock();
    }
  }

  static Timestamp now() {
    var now = InstantSource.system().instant();
    return Timestamp.newBuilder().setSeconds(now.getEpochSecond()).setNanos(now.getNano()).build();
  }

  static Duration toWire(java.time.Duration duration) {
    return Duration.newBuilder()
        .setSeconds(duration.getSeconds())
        .setNanos(duration.getNano())
        .build();
  }

  static java.time.Duration toJava(Duration duration) {
    return java.time.Duration.ofNanos(
        TimeUnit.SECONDS.toNanos(duration.getSeconds()) + duration.getNanos());
  }
}
