package dev.kagzi.engine.model;

import dev.kagzi.engine.domain.ParentClosePolicy;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.StepStatus;
import dev.kagzi.engine.domain.StopKind;
import dev.kagzi.engine.domain.WaitKind;
import dev.kagzi.engine.domain.WakeWhen;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A run with everything that belongs to it. Only the rules change it. */
final class ModelRun {

  /** When a run that only news can wake may be claimed. */
  static final Instant NEVER = Instant.parse("9999-12-31T23:59:59Z");

  /** A recorded attempt at a step. */
  static final class Attempt {
    final String step;
    final int number;
    final StepStatus status;
    final boolean settled;
    final int epoch;
    final Instant finishedAt;
    @Nullable String result;
    @Nullable Instant retryAt;
    boolean timedOut;
    @Nullable Instant superseded;

    Attempt(
        String step, int number, StepStatus status, boolean settled, int epoch, Instant finished) {
      this.step = step;
      this.number = number;
      this.status = status;
      this.settled = settled;
      this.epoch = epoch;
      this.finishedAt = finished;
    }

    boolean isCurrent() {
      return superseded == null;
    }

    boolean wasWrittenBy(int attempt, int byEpoch, StepStatus as) {
      return number == attempt && epoch == byEpoch && status == as;
    }
  }

  /** An attempt that was announced and has not ended. */
  record Begun(int attempt, int epoch, int attempts, boolean atMostOnce, @Nullable Instant until) {}

  /** A wait that has begun and not ended. */
  record Wait(WaitKind kind, @Nullable Instant until) {
    Instant end() {
      return until == null ? NEVER : until;
    }
  }

  /** Something that was sent. */
  static final class Event {
    final String key;
    @Nullable String consumedBy;

    Event(String key) {
      this.key = key;
    }
  }

  /** A child as its parent knows it; no end as long as it is live. */
  static final class Item {
    String child;
    @Nullable RunStatus end;
    @Nullable String output;

    Item(String child) {
      this.child = child;
    }
  }

  final String label;
  final int born;
  final String namespace;
  final String type;
  final String queue;
  final String version;
  final @Nullable String externalId;
  final Instant createdAt;

  RunStatus status = RunStatus.PENDING;
  @Nullable String waitReason;
  @Nullable Instant availableAt;
  @Nullable Instant leaseUntil;
  @Nullable String worker;
  WakeWhen wakeWhen = WakeWhen.ANY;
  int epoch;
  int failures;
  int crashes;
  int crashesInRow;
  int settledAtCrash;
  int retries;
  int openSagas;
  int divergences;
  @Nullable StopKind stop;
  @Nullable Instant stopAt;
  @Nullable Instant startedAt;
  @Nullable Instant finishedAt;
  @Nullable Instant deadlineAt;

  @Nullable Duration limit;
  int attempts;
  boolean handled;
  @Nullable String handlerFor;
  @Nullable String parent;
  @Nullable String parentStep;
  @Nullable ParentClosePolicy close;
  boolean hasChildren;
  @Nullable String continuedFrom;
  @Nullable String continuedAs;
  @Nullable String forkedFrom;
  @Nullable String schedule;
  @Nullable Instant fireAt;
  @Nullable String failedStep;
  @Nullable String result;

  final List<Attempt> history = new ArrayList<>();
  final Map<String, Begun> begun = new TreeMap<>();
  final Map<String, Wait> waits = new TreeMap<>();
  final List<Event> events = new ArrayList<>();
  final Map<String, Item> items = new TreeMap<>();

  ModelRun(
      String label,
      int born,
      String namespace,
      String type,
      String queue,
      String version,
      @Nullable String externalId,
      Instant createdAt) {
    this.label = label;
    this.born = born;
    this.namespace = namespace;
    this.type = type;
    this.queue = queue;
    this.version = version;
    this.externalId = externalId;
    this.createdAt = createdAt;
    this.availableAt = createdAt;
  }

  boolean isLive() {
    return !status.isTerminal();
  }

  boolean isHeldUnder(int shownEpoch) {
    return status == RunStatus.RUNNING && epoch == shownEpoch;
  }

  Stream<Attempt> current(String step) {
    return history.stream().filter(Attempt::isCurrent).filter(row -> row.step.equals(step));
  }

  Optional<Attempt> settled(String step) {
    return current(step).filter(row -> row.settled).findFirst();
  }

  /** The settled attempt if there is one, else the newest. */
  Optional<Attempt> latest(String step) {
    return current(step)
        .max(
            Comparator.comparing((Attempt row) -> row.settled).thenComparingInt(row -> row.number));
  }

  int failuresOf(String step) {
    return (int) current(step).filter(row -> row.status == StepStatus.FAILED).count();
  }

  int settledSteps() {
    return (int) history.stream().filter(row -> row.settled && row.isCurrent()).count();
  }

  /** The number after all that were ever used, also of what is superseded. */
  int nextAttempt(String step) {
    return 1
        + history.stream()
            .filter(row -> row.step.equals(step))
            .mapToInt(row -> row.number)
            .max()
            .orElse(0);
  }

  /** Writes an attempt down unless its number is used or its step is settled. */
  boolean record(Attempt row) {
    boolean used =
        history.stream().anyMatch(old -> old.step.equals(row.step) && old.number == row.number);
    if (used || (row.settled && settled(row.step).isPresent())) {
      return false;
    }
    history.add(row);
    return true;
  }

  void handBack(Instant at) {
    status = RunStatus.PENDING;
    availableAt = at;
    leaseUntil = null;
    worker = null;
  }

  void recountSagas() {
    openSagas =
        Math.max(
            0,
            history.stream()
                .filter(row -> row.settled && row.isCurrent())
                .filter(row -> row.status == StepStatus.COMPLETED)
                .mapToInt(row -> Steps.saga(row.step).change())
                .sum());
  }

  /** The time that the run's limit leaves it from a moment on. */
  @Nullable Instant deadlineAnew(Instant now) {
    Instant kept = deadlineAt != null && deadlineAt.isAfter(now) ? deadlineAt : null;
    if (limit == null) {
      return kept;
    }
    Instant byLimit = now.plus(limit);
    if (kept == null || !kept.isBefore(createdAt.plus(limit))) {
      return byLimit;
    }
    return kept.isBefore(byLimit) ? kept : byLimit;
  }
}
