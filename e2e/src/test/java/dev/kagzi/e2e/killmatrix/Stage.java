package dev.kagzi.e2e.killmatrix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.v1.CompleteWorkflowRequest;
import dev.kagzi.v1.HeartbeatRequest;
import dev.kagzi.v1.HeldRun;
import dev.kagzi.v1.PollTaskRequest;
import dev.kagzi.v1.RegisterRequest;
import dev.kagzi.v1.StartWorkflowRequest;
import dev.kagzi.v1.Task;
import dev.kagzi.v1.WorkflowTypeVersion;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * What one case has for itself: a queue, a workflow type and a worker that lives through the death
 * of any server. It is prepared at the server that survives.
 */
final class Stage implements AutoCloseable {

  private static final TimeOrderedIds IDS = new TimeOrderedIds(InstantSource.system());
  private static final long BEAT_MILLIS = 300;

  /** Until a run has ended that nobody holds up; what it took is judged apart. */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** What a worker hears whose run has gone on without it. */
  private static final Set<Status.Code> MOVED_ON =
      Set.of(Status.Code.ABORTED, Status.Code.FAILED_PRECONDITION, Status.Code.NOT_FOUND);

  private final String name = "case-" + UUID.randomUUID();
  private final Supplier<Peer> survivor;
  private final Tables tables;
  private final List<Task> held = new CopyOnWriteArrayList<>();
  private final String worker;
  private final ScheduledFuture<?> beating;

  Stage(Supplier<Peer> survivor, Tables tables, ScheduledExecutorService beats) {
    this.survivor = survivor;
    this.tables = tables;
    this.worker = survivor().workers().register(aWorker().build()).getWorkerId();
    this.beating =
        beats.scheduleWithFixedDelay(this::beat, BEAT_MILLIS, BEAT_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** The server that lives now. */
  Peer survivor() {
    return survivor.get();
  }

  Tables tables() {
    return tables;
  }

  String worker() {
    return worker;
  }

  /** Its workflow type and its queue are called the same. */
  String name() {
    return name;
  }

  static String freshId() {
    return IDS.next().toString();
  }

  RegisterRequest.Builder aWorker() {
    return RegisterRequest.newBuilder()
        .setTaskQueue(name)
        .addTypes(type())
        .setHostname("host")
        .setPid(1)
        .setInstanceId(UUID.randomUUID().toString());
  }

  WorkflowTypeVersion type() {
    return WorkflowTypeVersion.newBuilder().setWorkflowType(name).build();
  }

  StartWorkflowRequest.Builder aStart() {
    return StartWorkflowRequest.newBuilder()
        .setWorkflowType(name)
        .setTaskQueue(name)
        .setRequestId(freshId());
  }

  /** Starts a run that nobody has claimed. */
  String start() {
    return survivor().workflows().startWorkflow(aStart().build()).getRunId();
  }

  /** Starts a run and takes it. */
  Task take() {
    return take(aStart().build());
  }

  Task take(StartWorkflowRequest start) {
    String runId = survivor().workflows().startWorkflow(start).getRunId();
    Task task = claim();
    assertThat(task.getRunId()).isEqualTo(runId);
    return task;
  }

  Task claim() {
    Task task = survivor().workers().pollTask(aPoll().build()).getTasks(0);
    held.add(task);
    return task;
  }

  /** A worker that will not be heard of again. */
  String lostWorker() {
    return survivor().workers().register(aWorker().build()).getWorkerId();
  }

  /** Starts a run that a worker takes which will not be heard of again. */
  Task takenBy(String lost) {
    String runId = start();
    Task task = survivor().workers().pollTask(aPoll(lost).build()).getTasks(0);
    assertThat(task.getRunId()).isEqualTo(runId);
    return task;
  }

  void hold(Task task) {
    held.add(task);
  }

  PollTaskRequest.Builder aPoll() {
    return aPoll(worker);
  }

  PollTaskRequest.Builder aPoll(String poller) {
    return PollTaskRequest.newBuilder()
        .setWorkerId(poller)
        .setTaskQueue(name)
        .addTypes(type())
        .setClaimId(UUID.randomUUID().toString())
        .setWait(Wire.seconds(8));
  }

  private void beat() {
    var beat = HeartbeatRequest.newBuilder().setWorkerId(worker);
    held.forEach(task ->
        beat.addRuns(
            HeldRun.newBuilder().setRunId(task.getRunId()).setLeaseEpoch(task.getLeaseEpoch())));
    try {
      var unused = survivor().workers().heartbeat(beat.build());
    } catch (RuntimeException gone) {
      // There is no server now, or it has taken its leave, or the case is over.
    }
  }

  /** Lets runs that are held and runs that become due come to their end, until none is left. */
  void workOff() {
    held.forEach(task -> complete(task, worker));
    long end = System.nanoTime() + PATIENCE.toNanos();
    String other = "";
    while (live() > 0) {
      assertThat(System.nanoTime()).as("runs of %s have not ended", name).isLessThan(end);
      if (other.isEmpty()) {
        other = survivor().workers().register(aWorker().build()).getWorkerId();
      }
      String poller = other;
      PollTaskRequest poll = aPoll(poller).setMaxTasks(10).setWait(Wire.millis(500)).build();
      survivor().workers().pollTask(poll).getTasksList().forEach(task -> complete(task, poller));
    }
  }

  private void complete(Task task, String by) {
    try {
      var unused =
          survivor()
              .workers()
              .completeWorkflow(
                  CompleteWorkflowRequest.newBuilder()
                      .setRunId(task.getRunId())
                      .setLeaseEpoch(task.getLeaseEpoch())
                      .setWorkerId(by)
                      .build());
    } catch (StatusRuntimeException refusal) {
      assertThat(MOVED_ON).contains(refusal.getStatus().getCode());
    }
  }

  private long live() {
    return tables.number(
        "SELECT count(*) FROM kagzi.workflow_runs WHERE task_queue = ?"
            + " AND status IN ('PENDING', 'RUNNING', 'SLEEPING')",
        name);
  }

  /** How many rows of this case a table of runs has with a condition. */
  long ended(String condition) {
    return tables.number(
        "SELECT count(*) FROM kagzi.finished_runs WHERE task_queue = ? AND " + condition, name);
  }

  @Override
  public void close() {
    beating.cancel(false);
  }
}
