package dev.kagzi.sdk.internal;

import dev.kagzi.v1.SleepRequest;
import dev.kagzi.v1.SleepResponse;
import dev.kagzi.v1.SuspendResponse;
import dev.kagzi.v1.Wait;
import dev.kagzi.v1.WaitKind;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;

/**
 * The waits of one pass: recorded when they begin, and long enough ones give the run back. Belongs
 * to the workflow's thread.
 */
final class Waits {

  private final RunPass pass;
  private final Branches branches;
  private final ClaimedRun claim;

  Waits(RunPass pass, Branches branches) {
    this.pass = pass;
    this.branches = branches;
    this.claim = pass.claim();
  }

  /** Sleeps for a time that begins when it is recorded first. */
  void sleep(StepCall step, Duration duration) {
    if (step.isSettled() || (step.recorded() == null && !duration.isPositive())) {
      return;
    }
    sleep(step, request -> request.setDuration(WireTimes.fromDuration(duration)));
  }

  /** Sleeps until a moment of the engine's time. */
  void sleepUntil(StepCall step, Instant moment) {
    boolean past = !moment.isAfter(WireTimes.toInstant(claim.task().getEngineTime()));
    if (step.isSettled() || (step.recorded() == null && past)) {
      return;
    }
    sleep(step, request -> request.setWakeAt(WireTimes.fromInstant(moment)));
  }

  private void sleep(StepCall step, Consumer<SleepRequest.Builder> end) {
    pass.requireGoingOn();
    int attempt = step.recorded() == null ? 1 : Math.max(1, step.recorded().getAttempt());
    var request = claim.requests().sleep().setStep(step.attempt(attempt, claim.clock().now()));
    end.accept(request);
    while (true) {
      SleepResponse response = ask(step, request);
      if (response.getWait().hasEnded()) {
        return;
      }
      if (response.getResume()) {
        pass.requireGoingOn();
        return;
      }
      Instant wakeAt = WireTimes.toInstant(response.getWait().getWakeAt());
      if (request.getRelease()) {
        throw pass.endWith(
            new PassEnd.Suspended("it sleeps in '%s' until %s".formatted(step.key(), wakeAt)));
      }
      branches.awaitIdle(wakeAt);
      pass.requireGoingOn();
    }
  }

  /** A run with a branch that executes is not handed back; its wait is recorded nevertheless. */
  private SleepResponse ask(StepCall step, SleepRequest.Builder request) {
    request.setRelease(branches.freezeIfIdle());
    try {
      return pass.call(WorkerRpc.SLEEP, request.build(), step);
    } finally {
      branches.thaw();
    }
  }

  /** Waits for the next attempt of a step: here when it is soon, else without the worker. */
  void forRetry(StepCall step, int attempt, Instant at) {
    Duration delay = Duration.between(claim.clock().now(), at);
    if (!delay.isPositive()) {
      return;
    }
    if (delay.compareTo(claim.terms().localRetryWait()) <= 0) {
      pause(delay);
      return;
    }
    while (!branches.freezeIfIdle()) {
      branches.awaitIdle(at);
      pass.requireGoingOn();
      if (!at.isAfter(claim.clock().now())) {
        return;
      }
    }
    try {
      suspendForRetry(step, attempt, at);
    } finally {
      branches.thaw();
    }
  }

  private void pause(Duration delay) {
    claim.held().beginWait();
    try {
      Thread.sleep(delay);
    } catch (InterruptedException e) {
      throw pass.interrupted();
    } finally {
      claim.held().endWait();
    }
  }

  private void suspendForRetry(StepCall step, int attempt, Instant at) {
    var wait =
        Wait.newBuilder()
            .setStep(step.attempt(attempt, claim.clock().now()))
            .setKind(WaitKind.WAIT_KIND_RETRY)
            .setWakeAt(WireTimes.fromInstant(at));
    SuspendResponse response =
        pass.call(
            WorkerRpc.SUSPEND,
            claim.requests().suspend().addWaits(wait).setRelease(true).build(),
            step);
    if (!response.getResume()) {
      throw pass.endWith(
          new PassEnd.Suspended("'%s' is tried again at %s".formatted(step.key(), at)));
    }
    pass.requireGoingOn();
    // A run that undoes its work because it was asked to stop keeps its worker, and must wait here.
    Duration left = Duration.between(claim.clock().now(), at);
    if (left.isPositive()) {
      pause(left);
    }
  }
}
