package dev.kagzi.engine.domain;

import dev.kagzi.core.Durations;
import dev.kagzi.core.RetryPolicy;
import dev.kagzi.engine.domain.Explanation.Evidence;
import dev.kagzi.engine.domain.Explanation.Reason;
import dev.kagzi.engine.domain.Explanation.Verdict;
import dev.kagzi.engine.domain.Situation.Capacity;
import dev.kagzi.engine.domain.Situation.FailedAttempt;
import dev.kagzi.engine.domain.Situation.Hold;
import dev.kagzi.engine.domain.Situation.LiveWorker;
import dev.kagzi.engine.domain.Situation.OpenWait;
import dev.kagzi.engine.domain.Situation.Parked;
import dev.kagzi.engine.domain.Situation.RunningStep;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Says why a run is where it is: the first thing that keeps it from moving, with what supports it.
 * Decides from what it is given and looks at nothing. Not thread-safe; one for each explanation.
 */
public final class Explainer {

  private final Situation situation;
  private final Run run;
  private final Instant now;
  private final List<Evidence> evidence = new ArrayList<>();
  private final List<String> suggestions = new ArrayList<>();

  private Explainer(Situation situation, Instant now) {
    this.situation = situation;
    this.run = situation.run();
    this.now = now;
  }

  public static Explanation explain(Situation situation, Instant now) {
    return new Explainer(situation, now).explain();
  }

  private Explanation explain() {
    if (run.status().isTerminal()) {
      return finished();
    }
    if (run.status() == RunStatus.RUNNING) {
      return running();
    }
    StopRequest stop = run.stop();
    if (stop != null) {
      evidence.add(
          new Evidence(
              "stop",
              "%s, asked for at %s, to undo its work until %s"
                  .formatted(stop.kind(), stop.requestedAt(), stop.compensateUntil()),
              Verdict.DEGRADED));
    }
    Parked parked = situation.divergence();
    if (parked != null) {
      return parked(parked);
    }
    Instant due = run.availableAt();
    if (due != null && due.isAfter(now)) {
      return waiting(due);
    }
    return due();
  }

  private Explanation finished() {
    Run.Ending ending = run.ending();
    Failure error = ending == null ? null : ending.error();
    RunId successor = run.lineage().continuedAs();
    boolean failed = run.status().isFailure();
    String how = error == null ? "" : ": %s: %s".formatted(error.type(), error.message());
    if (ending != null && ending.failedStepKey() != null) {
      evidence.add(
          new Evidence("failed step", String.valueOf(ending.failedStepKey()), Verdict.UNHEALTHY));
    }
    if (failed) {
      suggestions.add("retry the run, or fork it from a step");
    }
    return conclude(
        Reason.FINISHED,
        failed ? Verdict.DEGRADED : Verdict.HEALTHY,
        successor == null
            ? "The run has ended as %s%s.".formatted(run.status(), how)
            : "The run has ended and goes on as run %s.".formatted(successor),
        run.times().finishedAt(),
        null,
        List.of());
  }

  private Explanation running() {
    List<String> keys = situation.steps().stream().map(RunningStep::stepKey).toList();
    WorkerId holder = run.worker();
    String worker =
        situation.workers().stream()
            .filter(live -> live.workerId().equals(holder))
            .map(LiveWorker::label)
            .findFirst()
            .orElse(String.valueOf(holder));
    Instant leaseEnd = run.availableAt();
    boolean expired = leaseEnd != null && !leaseEnd.isAfter(now);
    noteHold(expired ? Verdict.DEGRADED : Verdict.HEALTHY);
    if (expired) {
      return conclude(
          Reason.LEASE_EXPIRED,
          Verdict.DEGRADED,
          "Worker %s held the run until %s and is silent; the run is about to be taken back."
              .formatted(worker, leaseEnd),
          leaseEnd,
          null,
          keys);
    }
    for (RunningStep step : situation.steps()) {
      evidence.add(
          new Evidence(
              "step '%s'".formatted(step.stepKey()),
              "attempt %d runs since %s".formatted(step.attempt(), step.startedAt()),
              Verdict.HEALTHY));
    }
    StopRequest stop = run.stop();
    if (stop != null) {
      return conclude(
          Reason.COMPENSATING,
          Verdict.HEALTHY,
          "The run was asked to stop at %s and undoes its work on worker %s."
              .formatted(stop.requestedAt(), worker),
          stop.requestedAt(),
          stop.compensateUntil(),
          keys);
    }
    Hold hold = situation.hold();
    Instant leasedAt = hold == null ? null : hold.leasedAt();
    return conclude(
        Reason.RUNNING,
        Verdict.HEALTHY,
        "The run is executed by worker %s since %s%s."
            .formatted(worker, leasedAt, keys.isEmpty() ? "" : ", now in " + quoted(keys)),
        leasedAt,
        null,
        keys);
  }

  private void noteHold(Verdict verdict) {
    evidence.add(
        new Evidence(
            "lease", "epoch %d, until %s".formatted(run.epoch(), run.availableAt()), verdict));
    Hold hold = situation.hold();
    Instant heardAt = hold == null ? null : hold.heardAt();
    if (heardAt != null) {
      evidence.add(
          new Evidence(
              "last heartbeat", "%s ago, at %s".formatted(age(heardAt), heardAt), verdict));
    }
  }

  private Explanation parked(Parked parked) {
    Divergence divergence = parked.divergence();
    String found =
        divergence.found().isEmpty() ? "the end of the code" : "'%s'".formatted(divergence.found());
    evidence.add(new Evidence("history", "'%s'".formatted(divergence.expected()), Verdict.HEALTHY));
    evidence.add(new Evidence("code", found, Verdict.UNHEALTHY));
    evidence.add(
        new Evidence("tries", "%d with this result".formatted(parked.tries()), Verdict.UNHEALTHY));
    lookAtWorkers();
    suggestions.add(
        "deploy code that asks for '%s' under this version; register changed code under a new one"
            .formatted(divergence.expected()));
    return conclude(
        Reason.NON_DETERMINISM,
        Verdict.UNHEALTHY,
        ("The code does not fit the history of the run: %s (history: '%s', code: %s). It is tried"
                + " again at %s, and as soon as a worker registers.")
            .formatted(divergence.message(), divergence.expected(), found, run.availableAt()),
        null,
        run.availableAt(),
        List.of(divergence.expected()));
  }

  private Explanation waiting(Instant due) {
    boolean served = lookAtWorkers();
    Verdict verdict = served ? Verdict.HEALTHY : Verdict.DEGRADED;
    for (OpenWait wait : situation.waits()) {
      evidence.add(
          new Evidence("wait '%s'".formatted(wait.stepKey()), words(wait), Verdict.HEALTHY));
    }
    if (run.status() == RunStatus.SLEEPING) {
      return asleep(verdict, due);
    }
    if ("RETRY".equals(run.waitReason())) {
      return retrying(verdict, due);
    }
    return conclude(
        Reason.DELAYED_START,
        verdict,
        "The run is not to begin before %s.".formatted(due),
        run.times().createdAt(),
        due,
        List.of());
  }

  private Explanation retrying(Verdict verdict, Instant due) {
    List<OpenWait> retries = of("RETRY");
    retries.forEach(this::noteFailed);
    Failure own = run.lastError();
    if (retries.isEmpty() && own != null) {
      noteFailed("attempts of the run", run.failures(), situation.mostAttempts());
      noteError("%s: %s".formatted(own.type(), own.message()));
    }
    String what =
        retries.isEmpty() ? "The run failed outside its steps and" : "Step " + keysOf(retries);
    return conclude(
        Reason.RETRYING,
        verdict,
        "%s is tried again at %s.".formatted(what, due),
        earliest(retries),
        due,
        retries.stream().map(OpenWait::stepKey).toList());
  }

  private void noteFailed(OpenWait retry) {
    FailedAttempt failed = retry.failed();
    if (failed != null) {
      String subject = "attempts of step '%s'".formatted(retry.stepKey());
      noteFailed(subject, failed.attempt(), failed.most());
      noteError(failed.error());
    }
  }

  private void noteFailed(String subject, int failed, int most) {
    String limit = most == RetryPolicy.UNLIMITED ? "any number" : String.valueOf(most);
    evidence.add(
        new Evidence(subject, "%d of %s have failed".formatted(failed, limit), Verdict.DEGRADED));
  }

  private void noteError(String error) {
    evidence.add(new Evidence("last error", error, Verdict.DEGRADED));
  }

  /** What cannot be foreseen is named before what only takes its time. */
  private Explanation asleep(Verdict verdict, Instant due) {
    List<OpenWait> events = of("EVENT");
    List<OpenWait> children = of("CHILD");
    if (!events.isEmpty()) {
      return waitingFor(
          Reason.WAITING_FOR_EVENT,
          verdict,
          "event "
              + events.stream()
                  .map(wait -> "'%s'".formatted(wait.eventName()))
                  .collect(Collectors.joining(", ")),
          events);
    }
    if (!children.isEmpty()) {
      return waitingFor(Reason.WAITING_FOR_CHILD, verdict, "child " + keysOf(children), children);
    }
    List<OpenWait> timers = of("TIMER");
    return conclude(
        Reason.SLEEPING,
        verdict,
        "The run sleeps%s until %s."
            .formatted(timers.isEmpty() ? "" : " in " + keysOf(timers), due),
        earliest(timers),
        due,
        timers.stream().map(OpenWait::stepKey).toList());
  }

  private Explanation waitingFor(
      Reason reason, Verdict verdict, String what, List<OpenWait> waits) {
    Instant end =
        waits.stream()
            .map(OpenWait::endsAt)
            .filter(Objects::nonNull)
            .min(Comparator.naturalOrder())
            .orElse(null);
    return conclude(
        reason,
        verdict,
        "The run waits for %s%s."
            .formatted(what, end == null ? "" : ", until %s at the latest".formatted(end)),
        earliest(waits),
        end,
        waits.stream().map(OpenWait::stepKey).toList());
  }

  /** It could be claimed now, if somebody did. */
  private Explanation due() {
    if (!situation.namespaceEnabled()) {
      suggestions.add("enable namespace '%s'".formatted(run.target().namespace()));
      return stuck(
          Reason.NAMESPACE_DISABLED,
          "Namespace '%s' is disabled, so that its runs are handed to no worker."
              .formatted(run.target().namespace()));
    }
    boolean served = lookAtWorkers();
    RunTarget target = run.target();
    if (!served) {
      return unserved(target);
    }
    Capacity capacity = situation.capacity();
    boolean busy = capacity.free() == 0;
    evidence.add(
        new Evidence(
            "slots",
            "%d of %d in use".formatted(capacity.slots() - capacity.free(), capacity.slots()),
            busy ? Verdict.DEGRADED : Verdict.HEALTHY));
    Instant oldest = capacity.oldestReadyAt();
    if (busy && oldest != null) {
      evidence.add(
          new Evidence(
              "oldest ready run",
              "waits for %s, since %s".formatted(age(oldest), oldest),
              Verdict.DEGRADED));
    }
    return busy
        ? conclude(
            Reason.ALL_SLOTS_BUSY,
            Verdict.DEGRADED,
            "All slots of the workers that serve %s on queue '%s' are in use."
                .formatted(label(target), target.taskQueue()),
            run.availableAt(),
            null,
            List.of())
        : ready();
  }

  private Explanation ready() {
    StopRequest stop = run.stop();
    return stop == null
        ? conclude(
            Reason.READY,
            Verdict.HEALTHY,
            "The run is ready and a worker with a free slot is there.",
            run.availableAt(),
            now,
            List.of())
        : conclude(
            Reason.COMPENSATING,
            Verdict.HEALTHY,
            "The run was asked to stop at %s; a worker with a free slot is there to undo its work."
                .formatted(stop.requestedAt()),
            stop.requestedAt(),
            stop.compensateUntil(),
            List.of());
  }

  private Explanation unserved(RunTarget target) {
    if (!situation.elsewhere().isEmpty()) {
      suggestions.add(
          "it is served on queue %s: was the run started on the wrong queue?"
              .formatted(quoted(situation.elsewhere())));
    }
    if (situation.capacity().workers() == 0) {
      suggestions.add("start a worker on queue '%s'".formatted(target.taskQueue()));
      return stuck(
          Reason.NO_WORKER_ON_QUEUE,
          "No worker is on queue '%s', which the run waits on.".formatted(target.taskQueue()));
    }
    suggestions.add(
        "start a worker on queue '%s' that registers %s"
            .formatted(target.taskQueue(), label(target)));
    return stuck(
        situation.capacity().servesType()
            ? Reason.NO_WORKER_FOR_VERSION
            : Reason.NO_WORKER_FOR_TYPE,
        "No worker on queue '%s' serves %s; they serve %s."
            .formatted(target.taskQueue(), label(target), servedBy(situation.workers())));
  }

  private Explanation stuck(Reason reason, String sentence) {
    return conclude(reason, Verdict.UNHEALTHY, sentence, run.availableAt(), null, List.of());
  }

  /** Notes who lives on the queue; whether one of them serves the run. */
  private boolean lookAtWorkers() {
    int workers = situation.capacity().workers();
    boolean served = situation.capacity().serving() > 0;
    String subject = "workers on queue '%s'".formatted(run.target().taskQueue());
    evidence.add(
        new Evidence(
            subject,
            workers == 0
                ? "none"
                : "%d, serving %s".formatted(workers, servedBy(situation.workers())),
            served ? Verdict.HEALTHY : Verdict.UNHEALTHY));
    return served;
  }

  private static String servedBy(List<LiveWorker> workers) {
    return workers.stream()
        .flatMap(worker ->
            worker.types().stream()
                .map(type -> label(type) + (worker.draining() ? " (drains)" : "")))
        .distinct()
        .sorted()
        .collect(Collectors.joining(", "));
  }

  private static String label(RunTarget target) {
    return label(new TypeVersion(target.workflowType(), target.version()));
  }

  private static String label(TypeVersion type) {
    return type.version().isEmpty()
        ? "'%s' without a version".formatted(type.workflowType())
        : "'%s' version '%s'".formatted(type.workflowType(), type.version());
  }

  private List<OpenWait> of(String kind) {
    return situation.waits().stream().filter(wait -> wait.kind().equals(kind)).toList();
  }

  private static String keysOf(List<OpenWait> waits) {
    return quoted(waits.stream().map(OpenWait::stepKey).toList());
  }

  private static String quoted(List<String> names) {
    return names.stream().map("'%s'"::formatted).collect(Collectors.joining(", "));
  }

  private static @Nullable Instant earliest(List<OpenWait> waits) {
    return waits.stream().map(OpenWait::since).min(Comparator.naturalOrder()).orElse(null);
  }

  private static String words(OpenWait wait) {
    String what =
        switch (wait.kind()) {
          case "EVENT" -> "event '%s'".formatted(wait.eventName());
          case "CHILD" -> childWords(wait);
          default -> wait.kind().toLowerCase(Locale.ROOT);
        };
    Instant end = wait.endsAt();
    return "%s since %s%s".formatted(what, wait.since(), end == null ? "" : ", until " + end);
  }

  private static String childWords(OpenWait wait) {
    return wait.child() == null
        ? "child runs"
        : "child %s, which is %s".formatted(wait.child(), wait.childStatus());
  }

  /** How long ago something was, in whole seconds. */
  private String age(Instant then) {
    Duration ago = Duration.between(then, now).truncatedTo(ChronoUnit.SECONDS);
    return Durations.format(ago.isNegative() ? Duration.ZERO : ago);
  }

  private Explanation conclude(
      Reason reason,
      Verdict verdict,
      String sentence,
      @Nullable Instant since,
      @Nullable Instant expectedAt,
      List<String> stepKeys) {
    return new Explanation(
        reason, verdict, sentence, evidence, suggestions, since, expectedAt, stepKeys);
  }
}
