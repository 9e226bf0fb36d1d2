package dev.kagzi.engine.commit;

import dev.kagzi.engine.domain.FailOutcome;
import dev.kagzi.engine.domain.LiveRun;
import dev.kagzi.engine.domain.LogFields;
import dev.kagzi.engine.domain.RecordedStep;
import dev.kagzi.engine.domain.RetryDecision;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.StepFailure;
import dev.kagzi.engine.domain.StepStatus;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.BranchStore;
import dev.kagzi.engine.store.BranchStore.Cancellation;
import dev.kagzi.engine.store.FailureStore;
import dev.kagzi.engine.store.FailureStore.Report;
import dev.kagzi.engine.store.StepStore.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes failed attempts, with the decision whether there will be another. */
final class FailureWriter {

  private static final Logger log = LoggerFactory.getLogger(FailureWriter.class);

  private final FailureStore store;
  private final BranchStore branches;

  FailureWriter(FailureStore store, BranchStore branches) {
    this.store = store;
    this.branches = branches;
  }

  void write(
      Transaction tx,
      List<Command.FailStep> commands,
      HeldRuns runs,
      Answers answers,
      Instant now) {
    List<Command.FailStep> held =
        commands.stream().filter(command -> runs.mayGrowUnder(command.fence())).toList();
    Map<Step, Integer> failedBefore =
        held.isEmpty()
            ? Map.of()
            : store.count(tx, held.stream().map(FailureWriter::step).toList());
    Map<Step, Report> reports = new LinkedHashMap<>();
    for (Command.FailStep command : held) {
      Report report = decide(command, failedBefore.getOrDefault(step(command), 0), now);
      reports.put(report.step(), report);
    }
    Set<Step> recorded =
        reports.isEmpty() ? Set.of() : store.insert(tx, List.copyOf(reports.values()), now);
    List<Cancellation> pointless = new ArrayList<>();
    for (Command.FailStep command : held) {
      Report report = reports.get(step(command));
      if (report != null && recorded.contains(report.step())) {
        answers.answer(command, outcome(command, report.retryAt(), now));
        count(runs.live(command.runId()), report, answers, now);
        if (report.retryAt() == null) {
          pointless.addAll(cancellations(command));
        }
      }
    }
    pointless.addAll(
        explain(
            tx,
            commands.stream().filter(command -> !recorded.contains(step(command))).toList(),
            runs,
            answers,
            now));
    if (!pointless.isEmpty()) {
      branches.cancel(tx, pointless, now);
    }
  }

  private static void count(@Nullable LiveRun run, Report report, Answers answers, Instant now) {
    if (run != null) {
      answers
          .tally()
          .noteAttempt(run.target().workflowType(), report.failure(), report.retryAt(), now);
      answers.tally().note(to -> log(run, report, now));
    }
  }

  /** Many steps may fail in a second; that one has failed for good is worth a line. */
  private static void log(LiveRun run, Report report, Instant now) {
    StepFailure failure = report.failure();
    Instant retryAt = report.retryAt();
    if (!(retryAt == null ? log.isInfoEnabled() : log.isDebugEnabled())) {
      return;
    }
    String type = run.target().workflowType();
    LogFields.of(run.runId(), type, failure.stepKey(), failure.attempt())
        .with(() -> log(run.runId(), failure, retryAt, now));
  }

  /** The message of an error may hold anything; its type is what people search for. */
  private static void log(
      RunId runId, StepFailure failure, @Nullable Instant retryAt, Instant now) {
    if (retryAt == null) {
      log.info(
          "step failed for good: step {} of run {}, attempt {}, {}",
          failure.stepKey(),
          runId,
          failure.attempt(),
          failure.error().type());
    } else {
      log.debug(
          "step failed, scheduling retry: step {} of run {}, attempt {}, delay_ms {}, {}",
          failure.stepKey(),
          runId,
          failure.attempt(),
          Duration.between(now, retryAt).toMillis(),
          failure.error().type());
    }
  }

  private static List<Cancellation> cancellations(Command.FailStep command) {
    return command.cancelled().stream()
        .map(step -> new Cancellation(command.fence(), command.worker(), step))
        .toList();
  }

  private static Report decide(Command.FailStep command, int failedBefore, Instant now) {
    StepFailure failure = command.failure();
    Optional<Duration> delay =
        RetryDecision.delay(
            failure.policy(),
            failedBefore + 1,
            failure.error(),
            failure.nonRetryable(),
            failure.retryAfter(),
            ThreadLocalRandom.current().nextDouble());
    return new Report(
        command.fence(), command.worker(), failure, delay.map(now::plus).orElse(null));
  }

  private static FailOutcome outcome(
      Command.FailStep command, @Nullable Instant retryAt, Instant now) {
    if (retryAt == null) {
      return new FailOutcome.Settled();
    }
    Duration delay = Duration.between(now, retryAt);
    return new FailOutcome.Retry(
        retryAt, delay.isNegative() ? Duration.ZERO : delay, command.failure().attempt() + 1);
  }

  /**
   * Nothing was written for these: repeated, settled before, or not theirs to write. What a step
   * takes with it that has failed before is returned: its worker may have learnt of it only now.
   */
  private List<Cancellation> explain(
      Transaction tx, List<Command.FailStep> open, HeldRuns runs, Answers answers, Instant now) {
    if (open.isEmpty()) {
      return List.of();
    }
    List<Cancellation> pointless = new ArrayList<>();
    List<Step> steps = open.stream().map(FailureWriter::step).toList();
    Map<Step, RecordedStep> latest = store.findLatest(tx, steps);
    for (Command.FailStep command : open) {
      RecordedStep found = latest.get(step(command));
      if (found != null && hasFailed(found) && runs.isHeldUnder(command.fence())) {
        pointless.addAll(cancellations(command));
      }
      if (found != null
          && runs.isKnownTo(command.fence())
          && found.wasWrittenBy(
              command.failure().attempt(), command.fence().epoch(), StepStatus.FAILED)) {
        answers.answer(command, outcome(command, found.settled() ? null : found.retryAt(), now));
      } else if (found != null && found.settled() && runs.isHeldUnder(command.fence())) {
        answers.answer(command, new FailOutcome.AlreadySettled(found));
      } else {
        answers.refuse(command, runs.refusal(command.fence()));
      }
    }
    return pointless;
  }

  private static boolean hasFailed(RecordedStep step) {
    return step.settled() && step.status() == StepStatus.FAILED;
  }

  private static Step step(Command.FailStep command) {
    return new Step(command.runId(), command.failure().stepKey());
  }
}
