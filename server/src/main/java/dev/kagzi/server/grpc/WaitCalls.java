package dev.kagzi.server.grpc;

import dev.kagzi.engine.domain.Heard;
import dev.kagzi.engine.domain.RecordedStep;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.SuspendOutcome;
import dev.kagzi.engine.domain.WaitKind;
import dev.kagzi.engine.domain.WaitRequest;
import dev.kagzi.engine.domain.WakeWhen;
import dev.kagzi.engine.operation.Tasks;
import dev.kagzi.v1.SleepRequest;
import dev.kagzi.v1.SleepResponse;
import dev.kagzi.v1.StepKind;
import dev.kagzi.v1.SuspendRequest;
import dev.kagzi.v1.SuspendResponse;
import dev.kagzi.v1.Wait;
import dev.kagzi.v1.WaitState;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a worker's runs wait for. Blocks until the commit. Thread-safe. */
final class WaitCalls {

  private static final int MAX_WAITS = 10_000;

  private final Tasks tasks;
  private final InstantSource clock;

  WaitCalls(Tasks tasks, InstantSource clock) {
    this.tasks = tasks;
    this.clock = clock;
  }

  SleepResponse sleep(SleepRequest request) {
    var held = Requests.Held.of(request);
    held.check()
        .step("step", request.getStep(), StepKind.STEP_KIND_SLEEP)
        .anyDuration("duration", request.getDuration())
        .moment("wake_at", request.getWakeAt())
        .require(request.hasDuration() || request.hasWakeAt(), "end", "is not set")
        .done();
    Instant wakeAt =
        request.hasWakeAt()
            ? TimeMapper.toInstant(request.getWakeAt())
            : clock.instant().plus(TimeMapper.toDuration(request.getDuration()));
    var wait =
        new WaitRequest(
            request.getStep().getStepKey(), request.getStep().getSeq(), WaitKind.TIMER, wakeAt);
    Heard<SuspendOutcome> heard = tasks.suspend(held.fence(), List.of(wait), request.getRelease());
    SuspendOutcome outcome = heard.outcome();
    var response =
        SleepResponse.newBuilder()
            .setWait(toWire(outcome.waits().get(0)))
            .setReleased(outcome.released())
            .setResume(mustGoOn(outcome, request.getRelease()));
    StepCalls.ifStopped(heard, response::setStopRequested);
    return response.build();
  }

  SuspendResponse suspend(SuspendRequest request) {
    var held = Requests.Held.of(request);
    check(request.getWaitsList(), held.check().optionalKnown("wake_when", request.getWakeWhen()));
    Instant now = clock.instant();
    List<WaitRequest> waits =
        request.getWaitsList().stream().map(wait -> fromWire(wait, now)).toList();
    Heard<SuspendOutcome> heard =
        tasks.suspend(held.fence(), waits, request.getRelease(), wakeWhen(request.getWakeWhen()));
    SuspendOutcome outcome = heard.outcome();
    var response =
        SuspendResponse.newBuilder()
            .addAllWaits(outcome.waits().stream().map(WaitCalls::toWire).toList())
            .setReleased(outcome.released())
            .setResume(mustGoOn(outcome, request.getRelease()));
    StepCalls.ifStopped(heard, response::setStopRequested);
    return response.build();
  }

  private static WakeWhen wakeWhen(dev.kagzi.v1.WakeWhen wire) {
    return switch (wire) {
      case WAKE_WHEN_ALL -> WakeWhen.ALL;
      case WAKE_WHEN_ALL_OR_FAILED -> WakeWhen.ALL_OR_FAILED;
      case WAKE_WHEN_UNSPECIFIED, UNRECOGNIZED -> WakeWhen.ANY;
    };
  }

  private static void check(List<Wait> waits, Validation check) {
    check
        .require(!waits.isEmpty(), "waits", "is empty (expected: at least one)")
        .require(
            waits.size() <= MAX_WAITS,
            "waits",
            "has %d entries (expected: at most %d)".formatted(waits.size(), MAX_WAITS));
    Set<String> keys = new HashSet<>();
    for (int i = 0; i < Math.min(waits.size(), MAX_WAITS); i++) {
      Wait wait = waits.get(i);
      String at = "waits[%d].".formatted(i);
      check
          .step(at + "step", wait.getStep())
          .require(
              keys.add(wait.getStep().getStepKey()),
              at + "step.step_key",
              "stands in this list before")
          .known(at + "kind", wait.getKind())
          .anyDuration(at + "duration", wait.getDuration())
          .moment(at + "wake_at", wait.getWakeAt());
      checkSubject(at, wait, check);
    }
    check.done();
  }

  private static void checkSubject(String at, Wait wait, Validation check) {
    switch (wait.getKind()) {
      case WAIT_KIND_EVENT -> check.stepName(at + "event_name", wait.getEventName());
      case WAIT_KIND_CHILD -> check.optionalId(at + "child_run_id", wait.getChildRunId());
      case WAIT_KIND_TIMER, WAIT_KIND_RETRY ->
          check.require(wait.hasDuration() || wait.hasWakeAt(), at + "end", "is not set");
      case WAIT_KIND_UNSPECIFIED, UNRECOGNIZED -> {}
    }
  }

  private static WaitRequest fromWire(Wait wait, Instant now) {
    WaitKind kind = kind(wait);
    String child = wait.getChildRunId();
    return new WaitRequest(
        wait.getStep().getStepKey(),
        wait.getStep().getSeq(),
        kind,
        end(wait, now),
        kind == WaitKind.EVENT ? wait.getEventName() : null,
        kind == WaitKind.CHILD && !child.isEmpty() ? RunId.parse(child) : null,
        StepMapper.traits(wait.getStep()));
  }

  private static @Nullable Instant end(Wait wait, Instant now) {
    if (wait.hasWakeAt()) {
      return TimeMapper.toInstant(wait.getWakeAt());
    }
    return wait.hasDuration() ? now.plus(TimeMapper.toDuration(wait.getDuration())) : null;
  }

  private static WaitKind kind(Wait wait) {
    return switch (wait.getKind()) {
      case WAIT_KIND_TIMER -> WaitKind.TIMER;
      case WAIT_KIND_RETRY -> WaitKind.RETRY;
      case WAIT_KIND_EVENT -> WaitKind.EVENT;
      case WAIT_KIND_CHILD -> WaitKind.CHILD;
      case WAIT_KIND_UNSPECIFIED, UNRECOGNIZED ->
          throw new IllegalArgumentException(
              "kind: " + wait.getKind() + " (expected: a known one)");
    };
  }

  /** The lease is still held, and something that was waited for has come. */
  private static boolean mustGoOn(SuspendOutcome outcome, boolean wantedRelease) {
    boolean over = outcome.waits().stream().anyMatch(wait -> wait.ended() != null);
    return !outcome.released() && (wantedRelease || over);
  }

  private static WaitState toWire(SuspendOutcome.WaitState state) {
    var wire = WaitState.newBuilder().setStepKey(state.stepKey());
    Instant wakeAt = state.wakeAt();
    if (wakeAt != null) {
      wire.setWakeAt(TimeMapper.toWire(wakeAt));
    }
    RecordedStep ended = state.ended();
    return ended == null ? wire.build() : wire.setEnded(StepMapper.toWire(ended)).build();
  }
}
