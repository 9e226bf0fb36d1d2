package dev.kagzi.engine.operation;

import static dev.kagzi.engine.TestEngine.NAMESPACE;
import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.engine.TestEngine;
import dev.kagzi.engine.domain.CancelOutcome;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.ForkOutcome;
import dev.kagzi.engine.domain.ForkRequest;
import dev.kagzi.engine.domain.ForkRequest.Changes;
import dev.kagzi.engine.domain.RecordedStep;
import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.SagaMarker;
import dev.kagzi.engine.domain.StepKind;
import dev.kagzi.engine.domain.StepResult;
import dev.kagzi.engine.domain.StepTraits;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.WaitKind;
import dev.kagzi.engine.domain.WaitRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ForksTest {

  private TestEngine kagzi;
  private FailedRuns runs;
  private TimeOrderedIds ids;

  @BeforeAll
  void start() {
    kagzi = TestEngine.start();
    runs = new FailedRuns(kagzi);
    ids = new TimeOrderedIds(kagzi.engine().clock());
  }

  @AfterAll
  void stop() {
    kagzi.close();
  }

  @AfterEach
  void endWhatIsLive() {
    kagzi.execute("DELETE FROM kagzi.workflow_runs");
  }

  @Test
  void takeOverWhatWasSettledBeforeTheStep() {
    RunId origin = runs.failInCharge(TestEngine.request().labels(Map.of("tenant", "acme")));

    ForkOutcome fork = fork(origin, "charge", Changes.NONE);

    assertThat(fork.copiedSteps()).isEqualTo(1);
    assertThat(fork.status()).isEqualTo(RunStatus.PENDING);
    Task task = kagzi.pollOne(runs.worker());
    assertThat(task.claim().runId()).isEqualTo(fork.runId());
    assertThat(task.input()).isEqualTo(payload("\"input\""));
    assertThat(task.history()).extracting(RecordedStep::stepKey).containsExactly("reserve");
    assertThat(task.history().get(0).settled()).isTrue();
    assertThat(task.history().get(0).output()).isEqualTo(payload("\"reserve\""));
    Run run = get(fork.runId());
    assertThat(run.lineage().forkedFrom()).isEqualTo(origin);
    assertThat(run.labels()).containsEntry("tenant", "acme");
    assertThat(run.retries()).isZero();
    assertThat(get(origin).status()).isEqualTo(RunStatus.FAILED);
  }

  @Test
  void keepTheOutcomeOfAFailedStepBeforeThePlace() {
    ForkOutcome fork = fork(runs.failInCharge(), "apologise", Changes.NONE);

    assertThat(fork.copiedSteps()).isEqualTo(2);
    RecordedStep charge = kagzi.pollOne(runs.worker()).history().get(1);
    assertThat(charge.settled()).isTrue();
    assertThat(charge.error()).isEqualTo(FailedRuns.DECLINED);
  }

  @Test
  void leaveOutWhatARetryHasSuperseded() {
    RunId origin = runs.failInCharge();
    kagzi.engine().retries().retry(NAMESPACE, origin, null);
    Task task = kagzi.pollOne(runs.worker());
    runs.complete(task, "charge", 3, 2);

    ForkOutcome fork = fork(origin, "apologise", Changes.NONE);

    assertThat(fork.copiedSteps()).isEqualTo(2);
    RecordedStep charge = kagzi.pollOne(runs.worker()).history().get(1);
    assertThat(charge.output()).isEqualTo(payload("\"charge\""));
  }

  @Test
  void leaveOutWhatTheEndHadCutOff() {
    RunId origin = kagzi.startRun();
    Task task = kagzi.pollOne(runs.worker());
    runs.complete(task, "reserve", 1, 1);
    Instant inAnHour = kagzi.engine().clock().instant().plusSeconds(3600);
    kagzi
        .engine()
        .tasks()
        .suspend(
            fence(task), List.of(new WaitRequest("pause", 2, WaitKind.TIMER, inAnHour)), false);
    runs.complete(task, "charge", 1, 3);
    kagzi.engine().workflows().cancel(NAMESPACE, origin, "");

    assertThat(fork(origin, "charge", Changes.NONE).copiedSteps()).isEqualTo(1);
  }

  @Test
  void areInsideTheSagaThatTheyTakeOver() {
    RunId origin = kagzi.startRun();
    Task task = kagzi.pollOne(runs.worker());
    StepResult opening =
        new StepResult(
            "saga", 1, 1, StepKind.MARKER, payload("1"), null, StepTraits.NONE, SagaMarker.OPEN);
    kagzi.engine().tasks().completeStep(fence(task), runs.worker(), opening);
    runs.complete(task, "reserve", 1, 2);

    RunId fork = fork(origin, "reserve", Changes.NONE).runId();

    assertThat(kagzi.engine().workflows().cancel(NAMESPACE, fork, ""))
        .isEqualTo(new CancelOutcome.StopRequested());
  }

  @Test
  void startFromTheBeginningWithAnotherInputQueueVersionAndId() {
    RunId origin = runs.failInCharge(TestEngine.request().externalId("first"));

    ForkOutcome fork =
        fork(origin, null, new Changes("second", "elsewhere", "2", payload("\"other\"")));

    assertThat(fork.copiedSteps()).isZero();
    Run run = get(fork.runId());
    assertThat(run.externalId()).isEqualTo("second");
    assertThat(run.target().taskQueue()).isEqualTo("elsewhere");
    assertThat(run.target().version()).isEqualTo("2");
    assertThat(inputOf(fork.runId())).isEqualTo("\"other\"");
  }

  @Test
  void workFromALiveRunAtAStepThatIsStillRunning() {
    RunId origin = kagzi.startRun();
    Task task = kagzi.pollOne(runs.worker());
    runs.complete(task, "reserve", 1, 1);
    runs.fail(task, "charge", 1, 2, false);

    assertThat(fork(origin, "charge", Changes.NONE).copiedSteps()).isEqualTo(1);
    assertThat(get(origin).status()).isEqualTo(RunStatus.RUNNING);
  }

  @Test
  void areRepeatedSafelyWithTheSameId() {
    RunId origin = runs.failInCharge();
    RunId requestId = new RunId(ids.next());
    ForkRequest request = new ForkRequest(NAMESPACE, origin, requestId, "charge", Changes.NONE);

    ForkOutcome first = kagzi.engine().forks().fork(request);
    ForkOutcome again = kagzi.engine().forks().fork(request);
    Task task = kagzi.pollOne(runs.worker());
    runs.complete(task, "charge", 1, 2);
    runs.succeed(task);
    ForkOutcome late = kagzi.engine().forks().fork(request);

    assertThat(first).isEqualTo(new ForkOutcome(requestId, RunStatus.PENDING, 1));
    assertThat(again).isEqualTo(first);
    assertThat(late).isEqualTo(new ForkOutcome(requestId, RunStatus.COMPLETED, 1));
    assertThat(kagzi.poll(runs.worker(), 1, Duration.ofMillis(300))).isEmpty();
  }

  @Test
  void areRefusedWithAReason() {
    RunId origin = runs.failInCharge();
    kagzi.engine().workflows().start(TestEngine.request().externalId("taken").build());
    RunId other = new RunId(ids.next());
    kagzi.engine().workflows().start(TestEngine.request().requestId(other).build());
    InstantSource anHourAgo = InstantSource.offset(kagzi.engine().clock(), Duration.ofHours(-1));
    RunId stale = new RunId(new TimeOrderedIds(anHourAgo).next());

    assertThat(refusalOf(request(origin, null, "refund", Changes.NONE)))
        .matches(refused -> refused.code() == ErrorCode.INVALID_ARGUMENT)
        .hasMessageContaining("reserve, charge, apologise");
    assertThat(
            refusalOf(request(origin, null, null, new Changes("taken", null, null, null))).code())
        .isEqualTo(ErrorCode.ALREADY_ACTIVE);
    assertThat(refusalOf(request(origin, other, null, Changes.NONE)).code())
        .isEqualTo(ErrorCode.INVALID_ARGUMENT);
    assertThat(refusalOf(request(origin, stale, null, Changes.NONE)).code())
        .isEqualTo(ErrorCode.REQUEST_ID_OUT_OF_RANGE);
    assertThat(refusalOf(request(new RunId(UUID.randomUUID()), null, null, Changes.NONE)).code())
        .isEqualTo(ErrorCode.RUN_NOT_FOUND);
    kagzi.execute(
        "INSERT INTO kagzi.namespaces (namespace_id, created_at, updated_at)"
            + " VALUES ('other', now(), now()) ON CONFLICT DO NOTHING");
    assertThat(refusalOf(new ForkRequest("other", origin, null, null, Changes.NONE)).code())
        .isEqualTo(ErrorCode.RUN_NOT_FOUND);
  }

  private ForkOutcome fork(RunId origin, @Nullable String fromStep, Changes changes) {
    return kagzi.engine().forks().fork(request(origin, null, fromStep, changes));
  }

  private static ForkRequest request(
      RunId origin, @Nullable RunId requestId, @Nullable String fromStep, Changes changes) {
    return new ForkRequest(NAMESPACE, origin, requestId, fromStep, changes);
  }

  private EngineException refusalOf(ForkRequest request) {
    EngineException[] refusal = new EngineException[1];
    assertThatThrownBy(() -> kagzi.engine().forks().fork(request))
        .isInstanceOfSatisfying(EngineException.class, refused -> refusal[0] = refused);
    return refusal[0];
  }

  private Run get(RunId runId) {
    return kagzi.engine().workflows().get(NAMESPACE, runId);
  }

  private String inputOf(RunId runId) {
    List<String> inputs =
        kagzi
            .database()
            .inTransaction(tx ->
                tx.query(
                        "SELECT convert_from(input, 'UTF8') AS text FROM kagzi.workflow_payloads"
                            + " WHERE run_id = :runId")
                    .set("runId", runId.value())
                    .list(row -> row.text("text")));
    return inputs.get(0);
  }
}
