package dev.kagzi.sdk.internal;

import static java.util.Objects.requireNonNull;

import dev.kagzi.core.Payload;
import dev.kagzi.sdk.ErrorKind;
import dev.kagzi.sdk.NonRetryableException;
import dev.kagzi.sdk.RetryAfterException;
import dev.kagzi.sdk.StepFailedException;
import dev.kagzi.sdk.StepFn;
import dev.kagzi.sdk.StepInterruptedException;
import dev.kagzi.sdk.payload.PayloadException;
import dev.kagzi.v1.BeginStepRequest;
import dev.kagzi.v1.BeginStepResponse;
import dev.kagzi.v1.CompleteStepResponse;
import dev.kagzi.v1.ErrorDetail;
import dev.kagzi.v1.FailStepRequest;
import dev.kagzi.v1.FailStepResponse;
import dev.kagzi.v1.HistoryItem;
import dev.kagzi.v1.StepAttempt;
import dev.kagzi.v1.StepRetry;
import dev.kagzi.v1.StepStatus;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executes the steps of one pass, or finds their recorded outcome. What a step returns is always
 * decoded from the bytes that are recorded, so that the first run equals a replay; a result that
 * does not survive this fails the step before anything is recorded as done.
 *
 * <p>Belongs to the thread of its site.
 */
final class StepRunner {

  private static final Logger LOG = LoggerFactory.getLogger(StepRunner.class);

  static final ErrorDetail CANCELLED =
      ErrorDetail.newBuilder()
          .setKind(ErrorKinds.toWire(ErrorKind.CANCELLED))
          .setType(ErrorKind.CANCELLED.text())
          .build();

  /** The type of steps that return nothing. */
  static final Type NOTHING = void.class;

  private final RunPass pass;
  private final ClaimedRun claim;
  private final StepSite site;
  private final WorkerTools tools;

  StepRunner(RunPass pass, StepSite site, WorkerTools tools) {
    this.pass = pass;
    this.claim = pass.claim();
    this.site = site;
    this.tools = tools;
  }

  /** What an attempt led to. */
  private sealed interface Verdict {
    /** The step is settled with this value. */
    record Value(@Nullable Object value) implements Verdict {}

    /** There is another attempt at this time. */
    record Again(int attempt, Instant at) implements Verdict {}
  }

  /** What an attempt produced: bytes to record, and what they read as. */
  private record Product(@Nullable Payload bytes, @Nullable Object value) {}

  @Nullable Object run(StepCall step, Type type, StepFn<?> fn, StepOptions options) {
    return run(step, type, fn, options, null);
  }

  /** The same for a step that was called with arguments, which are recorded for readers. */
  @Nullable Object run(
      StepCall step,
      Type type,
      StepFn<?> fn,
      StepOptions options,
      @Nullable Object @Nullable [] arguments) {
    HistoryItem recorded = step.recorded();
    if (recorded != null && recorded.getSettled()) {
      return replay(recorded, type);
    }
    var input = StepInput.of(tools.codec(), step.key().value(), arguments);
    StepWork work = StepWork.of(claim, step, type, fn, options, input);
    int attempt = step.nextAttempt();
    if (recorded != null && recorded.hasRetryAt()) {
      site.awaitRetry(step, attempt, WireTimes.toInstant(recorded.getRetryAt()));
    }
    while (true) {
      site.requireGoingOn();
      switch (tryOnce(work, options.writeTo(step.attempt(attempt, claim.clock().now())))) {
        case Verdict.Value done -> {
          return done.value();
        }
        case Verdict.Again again -> {
          attempt = again.attempt();
          site.awaitRetry(step, attempt, again.at());
        }
      }
    }
  }

  /** The recorded outcome of a settled step: its value, or its failure thrown again. */
  private @Nullable Object replay(HistoryItem recorded, Type type) {
    requireNotCancelled(pass, recorded);
    if (recorded.getStatus() != StepStatus.STEP_STATUS_COMPLETED) {
      throw failed(recorded.getStepKey(), recorded.getAttempt(), recorded.getError());
    }
    if (type.equals(NOTHING) || !recorded.hasOutput()) {
      return null;
    }
    Payload output = WirePayloads.fromWire(recorded.getOutput());
    try {
      return WirePayloads.isAbsent(output) ? null : tools.codec().decode(output, type);
    } catch (PayloadException e) {
      String message =
          "step '%s': the recorded result cannot be used: %s"
              .formatted(recorded.getStepKey(), e.getMessage());
      pass.noteUnreadable(message);
      throw new PayloadException(message, e);
    }
  }

  /** Throws what a branch throws that another one's outcome made pointless. */
  static void requireNotCancelled(RunPass pass, HistoryItem recorded) {
    if (recorded.getStatus() == StepStatus.STEP_STATUS_CANCELLED) {
      pass.noteFailure(recorded.getStepKey(), CANCELLED);
      throw Branch.cancelled(recorded.getStepKey(), recorded.getAttempt());
    }
  }

  private StepFailedException failed(String key, int attempt, ErrorDetail error) {
    pass.noteFailure(key, error);
    ErrorKind kind = ErrorKinds.fromWire(error.getKind());
    return kind == ErrorKind.INTERRUPTED
        ? new StepInterruptedException(
            key, attempt, error.getType(), error.getTypeHierarchyList(), error.getMessage())
        : new StepFailedException(
            key, attempt, kind, error.getType(), error.getTypeHierarchyList(), error.getMessage());
  }

  private Verdict tryOnce(StepWork work, StepAttempt attempt) {
    if (work.options().atMostOnce() || claim.terms().announceAfter().isZero()) {
      Verdict known = announceFirst(work, attempt);
      if (known != null) {
        return known;
      }
    }
    Product product;
    try {
      product = product(attempt, execute(work, attempt), work.type());
    } catch (ExecutionException e) {
      return fail(work, attempt, requireNonNull(e.getCause()));
    } catch (TimeoutException | PayloadException e) {
      return fail(work, attempt, e);
    }
    return complete(work, attempt, product);
  }

  /** Announces an attempt before it begins; what the server knows better is returned. */
  private @Nullable Verdict announceFirst(StepWork work, StepAttempt attempt) {
    BeginStepResponse response =
        site.call(WorkerRpc.BEGIN_STEP, announcement(work, attempt), work.call());
    site.requireGoingOn();
    if (response.getShouldExecute()) {
      return null;
    }
    HistoryItem recorded = response.getRecorded();
    return recorded.getSettled()
        ? new Verdict.Value(replay(recorded, work.type()))
        : new Verdict.Again(recorded.getAttempt() + 1, WireTimes.toInstant(recorded.getRetryAt()));
  }

  /** Runs the work, which is left behind if it does not end in time. */
  private @Nullable Object execute(StepWork work, StepAttempt attempt)
      throws ExecutionException, TimeoutException {
    Runnable announce = () -> tools.announcer().announce(announcement(work, attempt), pass::heed);
    var execution =
        new Attempt(
            pass,
            tools.threads(),
            attempt,
            work.fn(),
            new Attempt.Notice(claim.terms().announceAfter(), announce));
    return site.execute(
        execution,
        work.timeout(),
        () -> failure(work, attempt, execution.overdue(work.timeout())).build());
  }

  private BeginStepRequest announcement(StepWork work, StepAttempt attempt) {
    return claim
        .requests()
        .beginStep()
        .setStep(attempt)
        .setRetryPolicy(work.policy())
        .setTimeout(WireTimes.fromDuration(work.timeout()))
        .build();
  }

  private Product product(StepAttempt attempt, @Nullable Object value, Type type) {
    if (type.equals(NOTHING)) {
      return new Product(null, null);
    }
    String what = "step '%s': the result".formatted(attempt.getStepKey());
    try {
      Payload bytes = WirePayloads.checked(what, tools.codec().encode(value, type));
      return new Product(bytes, tools.codec().decode(bytes, type));
    } catch (PayloadException e) {
      throw new PayloadException(what + " cannot be recorded: " + e.getMessage(), e);
    }
  }

  private Verdict complete(StepWork work, StepAttempt attempt, Product product) {
    Payload output = product.bytes();
    int size = output == null ? 0 : output.size();
    var request = claim.requests().completeStep().setStep(work.input().writeTo(attempt, size));
    if (output != null) {
      request.setOutput(WirePayloads.toWire(output));
    }
    CompleteStepResponse response;
    try {
      response = site.call(WorkerRpc.COMPLETE_STEP, request.build());
    } catch (CallFailedException refusal) {
      return fail(work, attempt, new NonRetryableException(String.valueOf(refusal.getMessage())));
    }
    return new Verdict.Value(
        response.hasRecorded() ? replay(response.getRecorded(), work.type()) : product.value());
  }

  /** What an error says about an attempt. Called from any thread. */
  private FailStepRequest.Builder failure(StepWork work, StepAttempt attempt, Throwable error) {
    ErrorDetail detail = tools.errors().of(error);
    tools
        .errors()
        .log(
            LOG,
            error,
            detail,
            "Step {} failed in attempt {}",
            attempt.getStepKey(),
            attempt.getAttempt());
    FailStepRequest.Builder request =
        claim
            .requests()
            .failStep()
            .setStep(work.input().writeTo(attempt, 0))
            .setError(detail)
            .setNonRetryable(detail.getNonRetryable())
            .setRetryPolicy(work.policy());
    if (error instanceof RetryAfterException later) {
      request.setRetryAfter(WireTimes.fromDuration(later.retryAfter()));
    }
    return request;
  }

  private Verdict fail(StepWork work, StepAttempt attempt, Throwable error) {
    FailStepRequest.Builder request = failure(work, attempt, error);
    List<StepAttempt> siblings = site.siblings();
    FailStepResponse response = report(request.addAllCancelled(siblings).build());
    if (response.hasSettled()) {
      site.takeAlong(siblings);
    }
    return switch (response.getOutcomeCase()) {
      case RETRY -> again(attempt, response.getRetry());
      case ALREADY_SETTLED -> new Verdict.Value(replay(response.getAlreadySettled(), work.type()));
      case SETTLED -> new Verdict.Value(replay(response.getSettled(), work.type()));
      case OUTCOME_NOT_SET ->
          throw failed(attempt.getStepKey(), attempt.getAttempt(), request.getError());
    };
  }

  private Verdict again(StepAttempt attempt, StepRetry retry) {
    int next = retry.getNextAttempt() > 0 ? retry.getNextAttempt() : attempt.getAttempt() + 1;
    Instant at =
        retry.hasAt()
            ? WireTimes.toInstant(retry.getAt())
            : claim.clock().now().plus(WireTimes.toDuration(retry.getDelay()));
    return new Verdict.Again(next, at);
  }

  /** Records a failed attempt; a server that does not know how leaves the answer empty. */
  private FailStepResponse report(FailStepRequest request) {
    try {
      return site.call(WorkerRpc.FAIL_STEP, request);
    } catch (CallFailedException refusal) {
      LOG.debug(
          "Step {}: FailStep was refused: {}",
          request.getStep().getStepKey(),
          refusal.getMessage());
      return FailStepResponse.getDefaultInstance();
    }
  }
}
