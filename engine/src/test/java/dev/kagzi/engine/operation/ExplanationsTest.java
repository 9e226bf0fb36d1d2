package dev.kagzi.engine.operation;

import static dev.kagzi.engine.TestEngine.NAMESPACE;
import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.payload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.core.ErrorKind;
import dev.kagzi.core.RetryPolicy;
import dev.kagzi.engine.TestEngine;
import dev.kagzi.engine.domain.Explanation;
import dev.kagzi.engine.domain.Explanation.Reason;
import dev.kagzi.engine.domain.Explanation.Verdict;
import dev.kagzi.engine.domain.Failure;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.SagaMarker;
import dev.kagzi.engine.domain.StepFailure;
import dev.kagzi.engine.domain.StepKind;
import dev.kagzi.engine.domain.StepResult;
import dev.kagzi.engine.domain.StepTraits;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.WaitKind;
import dev.kagzi.engine.domain.WaitRequest;
import dev.kagzi.engine.domain.WorkerId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ExplanationsTest {

  private final TestEngine kagzi = TestEngine.start();

  @AfterEach
  void stop() {
    kagzi.close();
  }

  @Test
  void aRunThatFailedOutsideItsStepsSaysItsOwnError() {
    WorkerId worker = kagzi.registerWorker();
    RunId runId = kagzi.startRun();
    Task task = kagzi.pollOne(worker);
    kagzi.execute(
        "UPDATE kagzi.workflow_runs SET retry_policy = '{\"maximum_attempts\": 3}'::jsonb");
    var error = new Failure(ErrorKind.UNKNOWN, "NoStock", List.of(), "no kettles", "", null);
    kagzi.engine().tasks().finish(fence(task), new RunEnding.Failed(error, null));

    Explanation explanation = explain(runId);

    assertThat(explanation.reason()).isEqualTo(Reason.RETRYING);
    assertThat(explanation.evidence())
        .contains(new Explanation.Evidence("last error", "NoStock: no kettles", Verdict.DEGRADED));
    assertThat(finding(explanation, "attempts of the run")).isEqualTo("1 of 3 have failed");
  }

  @Test
  void aRunWhoseLeaseIsOverIsAboutToBeTakenBack() {
    WorkerId worker = kagzi.registerWorker();
    RunId runId = kagzi.startRun();
    Task task = kagzi.pollOne(worker);
    // Whoever looks a minute later finds the lease over, and no sweeper comes in between.
    var later =
        new Explanations(
            kagzi.database(),
            () -> kagzi.engine().clock().instant().plus(Duration.ofMinutes(1)),
            RetryPolicy.DEFAULT);

    Explanation explanation = later.explain(NAMESPACE, runId).explanation();

    Instant leaseEnd = explanation.since();
    assertThat(explanation.reason()).isEqualTo(Reason.LEASE_EXPIRED);
    assertThat(explanation.verdict()).isEqualTo(Verdict.DEGRADED);
    assertThat(explanation.sentence())
        .contains("held the run until " + leaseEnd, "is silent", "about to be taken back");
    assertThat(explanation.evidence())
        .contains(
            new Explanation.Evidence(
                "lease",
                "epoch %d, until %s".formatted(task.claim().epoch(), leaseEnd),
                Verdict.DEGRADED));
    assertThat(kagzi.engine().explanations().explain(NAMESPACE, runId).explanation().reason())
        .isEqualTo(Reason.RUNNING);
  }

  @Test
  void aStepThatIsTriedAgainTellsItsOwnAttemptsAndError() {
    WorkerId worker = kagzi.registerWorker();
    RunId runId = kagzi.startRun();
    Task task = kagzi.pollOne(worker);
    failStep(task, worker, "charge", 1);
    failStep(task, worker, "charge", 2);
    // The newest error is that of another step, which the run does not wait for.
    failStep(task, worker, "ship", 1);
    Instant later = kagzi.engine().clock().instant().plus(Duration.ofHours(1));
    kagzi
        .engine()
        .tasks()
        .suspend(fence(task), List.of(new WaitRequest("charge", 1, WaitKind.RETRY, later)), true);

    Explanation explanation = explain(runId);

    assertThat(explanation.reason()).isEqualTo(Reason.RETRYING);
    assertThat(finding(explanation, "attempts of step 'charge'")).isEqualTo("2 of 5 have failed");
    assertThat(finding(explanation, "last error")).isEqualTo("charge: Declined: attempt 2");
  }

  private void failStep(Task task, WorkerId worker, String step, int attempt) {
    var error =
        new Failure(ErrorKind.UNKNOWN, "Declined", List.of(), "attempt " + attempt, "", null);
    var policy = new RetryPolicy(5, Duration.ofHours(1), 1, Duration.ofHours(1), List.of(), 0);
    var failure =
        new StepFailure(step, attempt, 1, StepKind.FUNCTION, null, error, policy, false, null);
    kagzi.engine().tasks().failStep(fence(task), worker, failure);
  }

  @Test
  void aRunThatIsExecutedTellsWhenItsWorkerWasHeardLast() {
    WorkerId worker = kagzi.registerWorker();
    RunId runId = kagzi.startRun();
    var unused = kagzi.pollOne(worker);
    kagzi.execute(
        "UPDATE kagzi.workers SET last_heartbeat_at = last_heartbeat_at - interval '90 s'");

    Explanation explanation = explain(runId);

    assertThat(explanation.reason()).isEqualTo(Reason.RUNNING);
    assertThat(finding(explanation, "last heartbeat")).startsWith("1m3");
  }

  @Test
  void whereAllSlotsAreBusyTheOldestWaitIsTold() {
    WorkerId worker = kagzi.registerWorker();
    RunId oldest = kagzi.startRun();
    kagzi.execute(
        "UPDATE kagzi.workflow_runs SET available_at = available_at - interval '1 h' WHERE run_id ="
            + " '%s'".formatted(oldest));
    kagzi.execute("UPDATE kagzi.workers SET active_count = max_concurrent");

    Explanation explanation = explain(kagzi.startRun());

    assertThat(worker).isNotNull();
    assertThat(explanation.reason()).isEqualTo(Reason.ALL_SLOTS_BUSY);
    assertThat(finding(explanation, "oldest ready run")).startsWith("waits for 1h");
  }

  @Test
  void aRunThatWasAskedToStopUndoesItsWork() {
    WorkerId worker = kagzi.registerWorker();
    RunId runId = kagzi.startRun();
    assertThat(explain(runId).reason()).isEqualTo(Reason.READY);
    assertThat(finding(explain(runId), "stop")).isEmpty();
    Task task = kagzi.pollOne(worker);
    openSaga(task, worker);
    kagzi.engine().workflows().cancel(NAMESPACE, runId, "changed my mind");

    Explanation held = explain(runId);
    assertThat(held.reason()).isEqualTo(Reason.COMPENSATING);
    assertThat(held.sentence()).contains("undoes its work on worker " + worker);

    kagzi.execute(
        """
        UPDATE kagzi.workflow_runs
        SET status = 'PENDING', available_at = stop_requested_at, lease_until = NULL,
          locked_by = NULL
        """);
    Explanation free = explain(runId);
    assertThat(free.reason()).isEqualTo(Reason.COMPENSATING);
    assertThat(free.sentence()).contains("asked to stop", "to undo its work");
    assertThat(free.since()).isEqualTo(held.since());
    assertThat(finding(free, "stop")).startsWith("CANCEL, asked for at " + held.since());
  }

  private void openSaga(Task task, WorkerId worker) {
    StepResult opened =
        new StepResult(
            "saga", 1, 1, StepKind.MARKER, payload("null"), null, StepTraits.NONE, SagaMarker.OPEN);
    kagzi.engine().tasks().completeStep(fence(task), worker, opened);
  }

  @Test
  void everyWorkerCountsHoweverManyAreOnTheQueue() {
    WorkerId oldest = kagzi.registerWorker();
    RunId runId = kagzi.startRun();
    kagzi.execute(
        """
        INSERT INTO kagzi.workers (worker_id, namespace_id, task_queue, status, hostname, pid,
          instance_id, workflow_types, versions, max_concurrent, registered_at, last_heartbeat_at)
        SELECT ('ffffffff-ffff-7fff-bfff-' || lpad(i::text, 12, '0'))::uuid, namespace_id,
          task_queue, status, hostname, pid, i::text, ARRAY['other'], ARRAY[''], 5, registered_at,
          last_heartbeat_at
        FROM kagzi.workers, generate_series(1, 100) AS i WHERE worker_id = '%s'
        """
            .formatted(oldest));

    Explanation explanation = explain(runId);

    assertThat(explanation.reason()).isEqualTo(Reason.READY);
    assertThat(finding(explanation, "workers on queue 'orders'")).startsWith("101, serving");
    assertThat(finding(explanation, "slots")).isEqualTo("0 of 10 in use");
  }

  private Explanation explain(RunId runId) {
    return kagzi.engine().explanations().explain(NAMESPACE, runId).explanation();
  }

  private static String finding(Explanation explanation, String subject) {
    return explanation.evidence().stream()
        .filter(evidence -> evidence.subject().equals(subject))
        .map(Explanation.Evidence::finding)
        .collect(Collectors.joining("; "));
  }
}
