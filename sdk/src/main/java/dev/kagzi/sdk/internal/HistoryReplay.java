package dev.kagzi.sdk.internal;

import dev.kagzi.sdk.KagziException;
import dev.kagzi.sdk.payload.PayloadCodec;
import dev.kagzi.v1.CompleteWorkflowRequest;
import dev.kagzi.v1.Divergence;
import dev.kagzi.v1.ErrorKind;
import dev.kagzi.v1.FailWorkflowRequest;
import dev.kagzi.v1.ReleaseTaskRequest;
import dev.kagzi.v1.StepAttempt;
import dev.kagzi.v1.StopKind;
import dev.kagzi.v1.StopRequest;
import dev.kagzi.v1.Task;
import dev.kagzi.v1.WorkflowRun;
import dev.kagzi.v1.WorkflowStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * One pass of a workflow over a history, executed as a worker executes it, except that {@link
 * RecordedCalls} answer in place of a server: every step is announced before its body would begin,
 * and the announcement of one that is not recorded stops the pass.
 */
public final class HistoryReplay {

  /** In what way the code does not match. */
  public enum Kind {
    OTHER_KIND,
    NOT_ASKED,
    NOT_RECORDED,
    UNREADABLE,
    OTHER_OUTCOME
  }

  /**
   * The first thing that does not match.
   *
   * @param step the key of the step, if it is about one
   */
  public record Finding(Kind kind, @Nullable String step, String message) {}

  /** Nobody takes the run away meanwhile. */
  private static final Duration LEASE = Duration.ofDays(1);

  private static final String REPLAYER = "replay";

  private final WorkflowRun run;
  private final ClaimedRun claim;
  private final RecordedCalls calls;

  private HistoryReplay(HistoryFile history) {
    this.run = history.run();
    this.calls = new RecordedCalls(history.items());
    this.claim = claim(history);
  }

  /**
   * Replays a history.
   *
   * @param workflow the code, of whatever version
   * @return what does not match; empty if all does
   * @throws IllegalArgumentException if the text is no history of this workflow
   */
  public static Optional<Finding> replay(
      String json, RegisteredWorkflow workflow, PayloadCodec codec) {
    HistoryFile history = HistoryFile.read(json);
    String type = history.run().getWorkflowType();
    if (!type.equals(workflow.type())) {
      throw new IllegalArgumentException(
          "The history is one of '%s' (expected: '%s')".formatted(type, workflow.type()));
    }
    return new HistoryReplay(history).run(workflow, codec);
  }

  private static ClaimedRun claim(HistoryFile history) {
    WorkflowRun run = history.run();
    var task =
        Task.newBuilder()
            .setRunId(run.getRunId())
            .setWorkflowType(run.getWorkflowType())
            .setVersion(run.getVersion())
            .setInput(run.getInput())
            .setEngineTime(run.getFinishedAt())
            .addAllHistory(history.items())
            .build();
    long now = System.nanoTime();
    var held = new HeldRun(run.getRunId(), 1, LEASE, now);
    stopKind(run.getStatus())
        .ifPresent(kind -> held.requestStop(StopRequest.newBuilder().setKind(kind).build()));
    return new ClaimedRun(
        task,
        held,
        new EngineClock(task.getEngineTime(), now),
        new RunRequests("", run.getRunId(), 1, () -> REPLAYER),
        new ServerTerms(
            REPLAYER,
            LEASE,
            LEASE,
            RetryPolicies.defaults(),
            LEASE,
            Duration.ZERO,
            // Before the body, so that none is ever executed.
            Duration.ZERO,
            StepLimits.DEFAULT));
  }

  private static Optional<StopKind> stopKind(WorkflowStatus status) {
    return switch (status) {
      case WORKFLOW_STATUS_CANCELLED -> Optional.of(StopKind.STOP_KIND_CANCEL);
      case WORKFLOW_STATUS_TIMED_OUT -> Optional.of(StopKind.STOP_KIND_TIMEOUT);
      default -> Optional.empty();
    };
  }

  private Optional<Finding> run(RegisteredWorkflow workflow, PayloadCodec codec) {
    var served =
        new RegisteredWorkflow(
            workflow.type(),
            run.getVersion(),
            workflow.workflow(),
            workflow.inputType(),
            workflow.outputType());
    var pass = new FutureTask<>(() -> execute(served, codec));
    Thread.ofVirtual().name("kagzi-replay-" + run.getRunId()).start(pass);
    try {
      return pass.get();
    } catch (ExecutionException e) {
      throw new KagziException("Run %s could not be replayed".formatted(run.getRunId()), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KagziException("Interrupted while replaying run " + run.getRunId(), e);
    }
  }

  private Optional<Finding> execute(RegisteredWorkflow workflow, PayloadCodec codec) {
    var timer = Executors.newSingleThreadScheduledExecutor();
    try (var threads = new StepThreads();
        var watch = StepWatch.start()) {
      var tools =
          new WorkerTools(
              codec,
              threads,
              new StepAnnouncer(calls),
              new ErrorDetails(ErrorHandling.STANDARD),
              new StuckThreads(timer, () -> {}),
              watch);
      var registrations = new Registrations(List.of(workflow));
      var pass = new RunPass(claim, calls);
      new RunExecutor(registrations, tools, calls, new RunCounters()).execute(pass);
      return compare(pass);
    } finally {
      timer.shutdownNow();
    }
  }

  private Optional<Finding> compare(RunPass pass) {
    String unreadable = pass.unreadable();
    if (unreadable != null) {
      return found(Kind.UNREADABLE, null, unreadable);
    }
    Object end = calls.end();
    if (end instanceof ReleaseTaskRequest release) {
      return Optional.of(finding(release.getDivergence()));
    }
    if (stopKind(run.getStatus()).isPresent() && end != null) {
      return pass.passedBy().map(HistoryReplay::finding);
    }
    if (end == null) {
      return compareWithoutEnd(pass);
    }
    return isCutShort() ? Optional.empty() : compareOutcome(end);
  }

  private static Finding finding(Divergence divergence) {
    Kind kind = divergence.getFoundStepKey().isEmpty() ? Kind.NOT_ASKED : Kind.OTHER_KIND;
    return new Finding(kind, divergence.getExpectedStepKey(), divergence.getMessage());
  }

  /** The code wants to begin something: so may a run that goes on, after all that it has done. */
  private Optional<Finding> compareWithoutEnd(RunPass pass) {
    if (calls.isCutShort() && calls.missing().isEmpty()) {
      return pass.leftOut().map(HistoryReplay::finding);
    }
    Optional<Divergence> unasked = pass.divergence("stopped");
    if (isCutShort() && unasked.isEmpty()) {
      return Optional.empty();
    }
    StepAttempt missing = calls.missing().orElseThrow();
    String instead =
        unasked
            .map(other -> "; '%s' is, and is not asked for".formatted(other.getExpectedStepKey()))
            .orElse("");
    return found(
        Kind.NOT_RECORDED,
        missing.getStepKey(),
        "the code asks for '%s' as %s, which is not recorded%s"
            .formatted(missing.getStepKey(), HistoryFile.inWords(missing.getKind()), instead));
  }

  /** Whether the end of the history is not the end of the code: the run goes on, or was ended. */
  private boolean isCutShort() {
    return switch (run.getStatus()) {
      case WORKFLOW_STATUS_COMPLETED -> false;
      case WORKFLOW_STATUS_FAILED -> run.getError().getKind() == ErrorKind.ERROR_KIND_CRASH_LOOP;
      default -> true;
    };
  }

  private Optional<Finding> compareOutcome(Object end) {
    String recorded = inWords(run);
    return switch (end) {
      case CompleteWorkflowRequest done when matches(done) -> Optional.empty();
      case FailWorkflowRequest failed when matches(failed) -> Optional.empty();
      case CompleteWorkflowRequest done -> otherOutcome(recorded, inWords(done));
      case FailWorkflowRequest failed -> otherOutcome(recorded, inWords(failed));
      default -> throw new IllegalStateException("the run ended with " + end);
    };
  }

  private boolean matches(CompleteWorkflowRequest done) {
    return run.getStatus() == WorkflowStatus.WORKFLOW_STATUS_COMPLETED
        && done.hasContinueAsNew() == !run.getContinuedAsRunId().isEmpty()
        && (done.hasContinueAsNew() || HistoryFile.areEqual(run.getOutput(), done.getOutput()));
  }

  /** By what can be told apart in every replay; a message may name the time or the machine. */
  private boolean matches(FailWorkflowRequest failed) {
    return run.getStatus() == WorkflowStatus.WORKFLOW_STATUS_FAILED
        && run.getError().getType().equals(failed.getError().getType())
        && run.getFailedStepKey().equals(failed.getFailedStepKey());
  }

  private static Optional<Finding> otherOutcome(String recorded, String found) {
    return found(
        Kind.OTHER_OUTCOME,
        null,
        "the code %s, and recorded is that it %s".formatted(found, recorded));
  }

  private static Optional<Finding> found(Kind kind, @Nullable String step, String message) {
    return Optional.of(new Finding(kind, step, message));
  }

  private static String inWords(WorkflowRun run) {
    if (run.getStatus() == WorkflowStatus.WORKFLOW_STATUS_FAILED) {
      return failure(run.getError().getType(), run.getError().getMessage(), run.getFailedStepKey());
    }
    return run.getContinuedAsRunId().isEmpty()
        ? result(run.getOutput())
        : "continued as another run";
  }

  private static String inWords(CompleteWorkflowRequest done) {
    return done.hasContinueAsNew() ? "continued as another run" : result(done.getOutput());
  }

  private static String inWords(FailWorkflowRequest failed) {
    return failure(
        failed.getError().getType(), failed.getError().getMessage(), failed.getFailedStepKey());
  }

  private static String result(dev.kagzi.v1.Payload output) {
    return output.hasJson() ? "returned " + output.getJson() : "returned other bytes or nothing";
  }

  private static String failure(String type, String message, String step) {
    return "failed with %s (%s)%s"
        .formatted(type, message, step.isEmpty() ? "" : " in step '%s'".formatted(step));
  }
}
