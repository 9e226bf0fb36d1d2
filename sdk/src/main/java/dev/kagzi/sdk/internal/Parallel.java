package dev.kagzi.sdk.internal;

import dev.kagzi.core.Payload;
import dev.kagzi.core.StepKey;
import dev.kagzi.sdk.KagziException;
import dev.kagzi.sdk.Outcome;
import dev.kagzi.sdk.StepFailedException;
import dev.kagzi.sdk.StepFn;
import dev.kagzi.sdk.StepFuture;
import dev.kagzi.sdk.Winner;
import dev.kagzi.sdk.payload.JacksonCodec;
import dev.kagzi.v1.CompleteStepResponse;
import dev.kagzi.v1.ErrorDetail;
import dev.kagzi.v1.HistoryItem;
import dev.kagzi.v1.SleepResponse;
import dev.kagzi.v1.StepAttempt;
import dev.kagzi.v1.StepKind;
import dev.kagzi.v1.Wait;
import dev.kagzi.v1.WaitKind;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * What a workflow can do with branches: begin them and wait for them together. Belongs to the
 * workflow's thread.
 */
final class Parallel {

  /** Markers are Kagzi's own, whatever the codec of the application. */
  private static final JacksonCodec MARKERS = new JacksonCodec();

  private final RunPass pass;
  private final Branches branches;
  private final StepKeys groups = new StepKeys();
  private @Nullable StepCall latest;
  private int looksBefore;

  Parallel(RunPass pass, Branches branches) {
    this.pass = pass;
    this.branches = branches;
  }

  /** One of many steps that are begun together. */
  record Item(StepKey key, StepFn<?> fn) {}

  /** Begins a step, or finds its recorded outcome. */
  <T extends @Nullable Object> StepFuture<T> step(
      StepKey key, Type type, StepFn<?> fn, StepOptions options) {
    StepCall call = ask(StepKind.STEP_KIND_FUNCTION, key);
    Branch branch = branch(call, type, fn, options, null);
    begin(List.of(branch));
    return new RunFuture<>(branches, branch);
  }

  /**
   * Asks for a step that begins beside the workflow's own code. It belongs to the group of the one
   * before it if the workflow has done nothing in between and looked at no outcome.
   */
  StepCall ask(StepKind kind, StepKey key) {
    StepCall before = latest;
    int place = pass.place();
    StepCall call = pass.askInPassing(kind, key);
    BranchGroup group = before == null ? null : before.group();
    if (before == null || group == null || before.seq() != place || looksBefore != pass.looks()) {
      group = BranchGroup.begunWith(pass.claim().runId(), call.key().value());
    }
    latest = call.within(group);
    looksBefore = pass.looks();
    return latest;
  }

  private Branch branch(
      StepCall call, Type type, StepFn<?> fn, StepOptions options, @Nullable Semaphore permits) {
    StepAttempt step =
        options.writeTo(call.attempt(call.nextAttempt(), pass.claim().clock().now()));
    Branch branch =
        branches.create(call, step, driven -> execute(driven, permits, type, fn, options));
    branch.permits = permits;
    return branch;
  }

  private @Nullable Object execute(
      Branch branch, @Nullable Semaphore permits, Type type, StepFn<?> fn, StepOptions options)
      throws InterruptedException {
    var runner = new StepRunner(pass, branch, branches.tools());
    if (permits == null) {
      return runner.run(branch.call(), type, fn, options);
    }
    try {
      branches.beginWait(branch, null);
      permits.acquire();
    } finally {
      branches.endWait(branch);
    }
    try {
      return runner.run(branch.call(), type, fn, options);
    } finally {
      permits.release();
    }
  }

  /**
   * What is settled is over at once, here, and needs no thread. Nothing begins in a run that was
   * asked to stop: whoever waits for such a branch stops there.
   */
  void begin(List<Branch> group) {
    List<Branch> fresh = new ArrayList<>();
    for (Branch branch : group) {
      if (branch.call().isSettled()) {
        branches.replay(branch);
      } else {
        fresh.add(branch);
      }
    }
    if (pass.isToStop()) {
      branches.leaveAlone(fresh);
    } else {
      branches.begin(fresh);
    }
  }

  /** Begins a timer, which is recorded before it is waited for. */
  StepFuture<@Nullable Void> timer(StepKey key, Duration duration) {
    StepCall call = ask(StepKind.STEP_KIND_SLEEP, key);
    int attempt = Math.max(1, call.nextAttempt() - 1);
    StepAttempt step = call.attempt(attempt, pass.claim().clock().now());
    boolean over = call.recorded() == null && !duration.isPositive();
    Branch branch = branches.create(call, step, driven -> over ? null : sleep(driven, duration));
    if (over) {
      branches.replay(branch);
    } else {
      begin(List.of(branch));
    }
    return new RunFuture<>(branches, branch);
  }

  private @Nullable Object sleep(Branch branch, Duration duration) throws InterruptedException {
    HistoryItem recorded = branch.call().recorded();
    if (recorded != null && recorded.getSettled()) {
      // Cancelled in every replay if it was when the workflow ran first.
      StepRunner.requireNotCancelled(pass, recorded);
      return null;
    }
    while (true) {
      SleepResponse response =
          branch.call(
              WorkerRpc.SLEEP,
              pass.claim()
                  .requests()
                  .sleep()
                  .setStep(branch.step())
                  .setDuration(WireTimes.fromDuration(duration))
                  .setRelease(false)
                  .build(),
              branch.call());
      if (response.getWait().hasEnded()) {
        return null;
      }
      Wait wait =
          Wait.newBuilder()
              .setStep(branch.step())
              .setKind(WaitKind.WAIT_KIND_TIMER)
              .setWakeAt(response.getWait().getWakeAt())
              .build();
      branches.park(branch, wait, WireTimes.toInstant(wait.getWakeAt()));
    }
  }

  /** Executes a step for each of many items, and returns the results in their order. */
  List<@Nullable Object> items(String name, List<Item> items, Type type, int maxConcurrency) {
    pass.requireWorkflowThread();
    requireDistinct(name, items);
    Semaphore permits = maxConcurrency < items.size() ? new Semaphore(maxConcurrency, true) : null;
    BranchGroup named =
        BranchGroup.named(pass.claim().runId(), groups.next(StepKey.of(name)).value());
    List<Branch> group = new ArrayList<>();
    for (Item item : items) {
      StepCall call = pass.ask(StepKind.STEP_KIND_FUNCTION, item.key()).within(named);
      group.add(branch(call, type, item.fn(), StepOptions.NONE, permits));
    }
    branches.bind(group);
    begin(group);
    return all(group);
  }

  private void requireDistinct(String name, List<Item> items) {
    Set<StepKey> keys = new HashSet<>();
    for (Item item : items) {
      if (!keys.add(item.key())) {
        throw new IllegalArgumentException(
            "Run %s: two items of parallel '%s' have the key '%s' (expected: one item per key; let"
                    .formatted(pass.claim().runId(), name, item.key())
                + " the key function tell them apart)");
      }
    }
  }

  /** Waits for all; the first that fails takes the others with it. */
  List<@Nullable Object> all(List<Branch> group) {
    branches.bind(group);
    branches.awaitFailureOrAll(group);
    Branch failed = firstFailed(group);
    if (failed != null) {
      cancelOthers(failed, group);
      branches.awaitAll(group);
      Objects.requireNonNull(firstFailed(group)).result();
    }
    List<@Nullable Object> results = new ArrayList<>();
    group.forEach(branch -> results.add(branch.result()));
    return results;
  }

  /** By place and not by time, so that every replay finds the same; cancelled ones come last. */
  private static @Nullable Branch firstFailed(List<Branch> group) {
    return group.stream()
        .filter(branch -> branch.failure != null && !branch.wasCancelled())
        .findFirst()
        .or(() -> group.stream().filter(branch -> branch.failure != null).findFirst())
        .orElse(null);
  }

  /** The failure was reported before anybody knew whom it concerns. */
  private void cancelOthers(Branch failed, List<Branch> group) {
    List<Branch> open = branches.open(group);
    if (open.isEmpty()) {
      return;
    }
    ErrorDetail error = pass.failureOf(failed.key());
    pass.call(
        WorkerRpc.FAIL_STEP,
        pass.claim()
            .requests()
            .failStep()
            .setStep(failed.step())
            .setError(error == null ? ErrorDetail.getDefaultInstance() : error)
            .setNonRetryable(true)
            .setRetryPolicy(pass.claim().retryPolicy())
            .addAllCancelled(open.stream().map(Branch::step).toList())
            .build(),
        failed.call());
    branches.cancel(open);
  }

  /** Waits for all, whatever becomes of them. */
  @SuppressWarnings({"unchecked", "NullAway"})
  <T extends @Nullable Object> List<Outcome<T>> settle(List<Branch> group) {
    branches.awaitAll(group);
    List<Outcome<T>> outcomes = new ArrayList<>();
    for (Branch branch : group) {
      if (branch.failure instanceof StepFailedException failed) {
        outcomes.add(new Outcome.Failed<>(failed));
      } else {
        outcomes.add(new Outcome.Succeeded<>((T) branch.result()));
      }
    }
    return outcomes;
  }

  /** Waits for the first that is over, and records which it was. */
  @SuppressWarnings({"unchecked", "NullAway"})
  <T extends @Nullable Object> Winner<T> race(String name, List<Branch> group) {
    if (group.isEmpty()) {
      throw new IllegalArgumentException(
          "Run %s: race '%s' has no branches (expected: at least one)"
              .formatted(pass.claim().runId(), name));
    }
    StepCall marker = pass.ask(StepKind.STEP_KIND_MARKER, StepKey.of(name));
    HistoryItem recorded = marker.recorded();
    String won = recorded != null && recorded.getSettled() ? read(recorded) : finish(marker, group);
    for (int i = 0; i < group.size(); i++) {
      Branch branch = group.get(i);
      if (branch.key().equals(won)) {
        branches.awaitAll(group);
        return new Winner<>(i, won, (T) branch.result());
      }
    }
    throw new KagziException(
        "Run %s: race '%s' was won by '%s', which does not take part any more (expected: the same"
                .formatted(pass.claim().runId(), marker.key(), won)
            + " branches as before; give a changed race another name)");
  }

  private String finish(StepCall marker, List<Branch> group) {
    branches.awaitAny(group);
    Branch winner = group.stream().filter(branch -> branch.done).findFirst().orElseThrow();
    List<Branch> losers = branches.open(group);
    CompleteStepResponse response =
        pass.call(
            WorkerRpc.COMPLETE_STEP,
            pass.claim()
                .requests()
                .completeStep()
                .setStep(marker.attempt(marker.nextAttempt(), pass.claim().clock().now()))
                .setOutput(WirePayloads.toWire(MARKERS.encode(winner.key(), String.class)))
                .addAllCancelled(losers.stream().map(Branch::step).toList())
                .build(),
            marker);
    branches.cancel(losers);
    branches.awaitAll(group);
    return response.hasRecorded() ? read(response.getRecorded()) : winner.key();
  }

  private String read(HistoryItem recorded) {
    Payload output = WirePayloads.fromWire(recorded.getOutput());
    return String.valueOf(MARKERS.decode(output, String.class));
  }

  /** The branches behind futures, which must be different ones of this run. */
  List<Branch> branchesOf(List<? extends StepFuture<?>> futures) {
    pass.requireWorkflowThread();
    Set<Branch> distinct = new HashSet<>();
    List<Branch> found = new ArrayList<>();
    for (StepFuture<?> future : futures) {
      StepFuture<?> branch = future instanceof RunChildFuture<?> child ? child.future() : future;
      if (!(branch instanceof RunFuture<?> own) || !own.branches().equals(branches)) {
        throw new IllegalArgumentException(
            "Run %s: '%s' is not a branch of this run (expected: futures that its own context made;"
                    .formatted(pass.claim().runId(), future.step())
                + " keep none in a field)");
      }
      if (!distinct.add(own.branch())) {
        throw new IllegalArgumentException(
            "Run %s: branch '%s' is named twice (expected: each future once)"
                .formatted(pass.claim().runId(), future.step()));
      }
      found.add(own.branch());
    }
    return found;
  }
}
