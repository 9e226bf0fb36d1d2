package dev.kagzi.sdk.internal;

import static java.util.Objects.requireNonNull;

import dev.kagzi.core.Durations;
import dev.kagzi.core.Payload;
import dev.kagzi.sdk.NonRetryableException;
import dev.kagzi.sdk.StepFailedException;
import dev.kagzi.sdk.StepFn;
import dev.kagzi.sdk.payload.PayloadException;
import dev.kagzi.v1.BeginStepRequest;
import dev.kagzi.v1.CompleteStepResponse;
import dev.kagzi.v1.ErrorDetail;
import dev.kagzi.v1.FailStepResponse;
import dev.kagzi.v1.HistoryItem;
import dev.kagzi.v1.StepAttempt;
import dev.kagzi.v1.StepRetry;
import dev.kagzi.v1.StepStatus;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executes the steps of one pass, or finds their recorded outcome. What a step returns is always
 * decoded from the bytes that are recorded, so that the first run equals a replay; a result that
 * does not survive this fails the step before anything is recorded as done.
 *
 * <p>Belongs to the workflow's thread.
 */
final class StepRunner {

  private static final Logger LOG = LoggerFactory.getLogger(StepRunner.class);

  /** The type of steps that return nothing. */
  static final Type NOTHING = void.class;

  private final RunPass pass;
  private final ClaimedRun claim;
  private final Waits waits;
  private final WorkerTools tools;

  StepRunner(RunPass pass, Waits waits, WorkerTools tools) {
    this.pass = pass;
    this.claim = pass.claim();
    this.waits = waits;
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

  @Nullable Object run(StepCall step, Type type, StepFn<?> fn) {
    HistoryItem recorded = step.recorded();
    if (recorded != null && recorded.getSettled()) {
      return replay(recorded, type);
    }
    int attempt = step.nextAttempt();
    if (recorded != null && recorded.hasRetryAt()) {
      waits.forRetry(step, attempt, WireTimes.toInstant(recorded.getRetryAt()));
    }
    while (true) {
      pass.requireOpen();
      switch (tryOnce(step.attempt(attempt, claim.clock().now()), type, fn)) {
        case Verdict.Value done -> {
          return done.value();
        }
        case Verdict.Again again -> {
          attempt = again.attempt();
          waits.forRetry(step, attempt, again.at());
        }
      }
    }
  }

  /** The recorded outcome of a settled step: its value, or its failure thrown again. */
  private @Nullable Object replay(HistoryItem recorded, Type type) {
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
      throw new PayloadException(
          "step '%s': the recorded result cannot be used: %s"
              .formatted(recorded.getStepKey(), e.getMessage()),
          e);
    }
  }

  private StepFailedException failed(String key, int attempt, ErrorDetail error) {
    pass.noteFailure(key, error);
    return new StepFailedException(
        key,
        error.getAttempts() > 0 ? error.getAttempts() : attempt,
        error.getType(),
        error.getTypeHierarchyList(),
        error.getMessage());
  }

  private Verdict tryOnce(StepAttempt attempt, Type type, StepFn<?> fn) {
    Product product;
    try {
      product = product(attempt, execute(attempt, fn), type);
    } catch (ExecutionException e) {
      return fail(attempt, type, requireNonNull(e.getCause()));
    } catch (TimeoutException | PayloadException e) {
      return fail(attempt, type, e);
    }
    return complete(attempt, type, product);
  }

  /** Runs the work on a thread of its own, which is left behind if it does not end in time. */
  private @Nullable Object execute(StepAttempt attempt, StepFn<?> fn)
      throws ExecutionException, TimeoutException {
    var work = new FutureTask<@Nullable Object>(fn::run);
    Thread thread = threadFor(attempt, work);
    Future<?> announcement = announceLate(attempt);
    thread.start();
    try {
      return await(work, attempt);
    } catch (InterruptedException e) {
      thread.interrupt();
      throw pass.interrupted();
    } catch (TimeoutException e) {
      thread.interrupt();
      throw e;
    } finally {
      announcement.cancel(false);
    }
  }

  private Thread threadFor(StepAttempt attempt, Runnable work) {
    String key = attempt.getStepKey();
    return tools
        .threads()
        .unstarted(
            "kagzi-step-" + key,
            () -> {
              MdcKeys.putRun(claim);
              MdcKeys.putStep(key, attempt.getAttempt());
              pass.stepBegins(key);
              try {
                work.run();
              } finally {
                pass.stepEnds();
              }
            });
  }

  private @Nullable Object await(Future<@Nullable Object> work, StepAttempt attempt)
      throws InterruptedException, ExecutionException, TimeoutException {
    Duration limit = claim.stepTimeout();
    if (limit == null) {
      return work.get();
    }
    try {
      return work.get(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new TimeoutException(
          "step '%s' took longer than %s".formatted(attempt.getStepKey(), Durations.format(limit)));
    }
  }

  private Future<?> announceLate(StepAttempt attempt) {
    return tools
        .announcer()
        .announceAfter(claim.terms().announceAfter(), () -> announcement(attempt));
  }

  private BeginStepRequest announcement(StepAttempt attempt) {
    var request = claim.requests().beginStep().setStep(attempt).setRetryPolicy(claim.retryPolicy());
    Duration limit = claim.stepTimeout();
    if (limit != null) {
      request.setTimeout(WireTimes.fromDuration(limit));
    }
    return request.build();
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

  private Verdict complete(StepAttempt attempt, Type type, Product product) {
    var request = claim.requests().completeStep().setStep(attempt);
    if (product.bytes() != null) {
      request.setOutput(WirePayloads.toWire(product.bytes()));
    }
    CompleteStepResponse response;
    try {
      response = pass.call(WorkerRpc.COMPLETE_STEP, request.build());
    } catch (CallFailedException refusal) {
      return fail(attempt, type, new NonRetryableException(String.valueOf(refusal.getMessage())));
    }
    return new Verdict.Value(
        response.hasRecorded() ? replay(response.getRecorded(), type) : product.value());
  }

  private Verdict fail(StepAttempt attempt, Type type, Throwable error) {
    LOG.warn("Step {} failed in attempt {}", attempt.getStepKey(), attempt.getAttempt(), error);
    ErrorDetail detail = ErrorDetails.of(error);
    FailStepResponse response = report(attempt, detail);
    return switch (response.getOutcomeCase()) {
      case RETRY -> again(attempt, response.getRetry());
      case ALREADY_SETTLED -> new Verdict.Value(replay(response.getAlreadySettled(), type));
      case SETTLED -> new Verdict.Value(replay(response.getSettled(), type));
      case OUTCOME_NOT_SET -> throw failed(attempt.getStepKey(), attempt.getAttempt(), detail);
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
  private FailStepResponse report(StepAttempt attempt, ErrorDetail detail) {
    var request =
        claim
            .requests()
            .failStep()
            .setStep(attempt)
            .setError(detail)
            .setNonRetryable(detail.getNonRetryable())
            .setRetryPolicy(claim.retryPolicy());
    try {
      return pass.call(WorkerRpc.FAIL_STEP, request.build());
    } catch (CallFailedException refusal) {
      LOG.debug("Step {}: FailStep was refused: {}", attempt.getStepKey(), refusal.getMessage());
      return FailStepResponse.getDefaultInstance();
    }
  }
}
