package dev.kagzi.engine.model;

import dev.kagzi.engine.domain.OverlapPolicy;
import dev.kagzi.engine.domain.ParentClosePolicy;
import dev.kagzi.engine.domain.ReusePolicy;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.WaitKind;
import dev.kagzi.engine.domain.WakeWhen;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Thinks up operations. It looks at the model, so that most of what it asks for makes sense; what
 * makes none is asked for as well, only less often.
 */
final class OpGenerator {

  private static final List<String> CLIENTS = List.of("c1", "c2");
  private static final List<String> WORKERS = List.of("w1", "w2", "w3");
  private static final List<String> QUEUES = List.of("main", "side");
  private static final List<List<String>> TYPES =
      List.of(
          List.of("order", "ship", StartRules.HANDLER),
          List.of("order:2", "order", "ship"),
          List.of("ship", StartRules.HANDLER));
  private static final List<Duration> LEAPS =
      List.of(
          Duration.ofMillis(5),
          Duration.ofMillis(400),
          Duration.ofSeconds(1),
          Duration.ofSeconds(2),
          Duration.ofSeconds(4),
          Duration.ofSeconds(6),
          Duration.ofSeconds(10),
          Duration.ofSeconds(20),
          Duration.ofSeconds(31),
          Duration.ofSeconds(46),
          Duration.ofMinutes(1),
          Duration.ofMinutes(5),
          Duration.ofMinutes(11),
          Duration.ofMinutes(61));

  private final Random random;
  private final World world;
  private int tags;

  OpGenerator(Random random, World world) {
    this.random = random;
    this.world = world;
  }

  Op next() {
    String idle = any(WORKERS);
    World.Worker registered = world.process(idle).worker;
    if (registered == null || (registered.isOffline() && chance(3))) {
      return register(idle);
    }
    int dice = random.nextInt(100);
    if (dice < 12) {
      return start();
    } else if (dice < 30) {
      return new Op.Poll(idle, 1 + random.nextInt(3));
    } else if (dice < 64) {
      return work(idle);
    } else if (dice < 68) {
      return new Op.Beat(idle);
    } else if (dice < 76) {
      return new Op.Advance(any(LEAPS));
    } else if (dice < 85) {
      return loop();
    } else if (dice < 95) {
      return client();
    } else if (dice < 98) {
      return schedule();
    }
    return leave(idle);
  }

  private <T> T any(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  /** Once in so many times. */
  private boolean chance(int in) {
    return random.nextInt(in) == 0;
  }

  private String tag(String kind) {
    return kind + ++tags;
  }

  private String namespace() {
    return chance(6) ? "b" : "a";
  }

  private @Nullable String externalId() {
    return chance(3) ? "x" + random.nextInt(3) : null;
  }

  private Op start() {
    return new Op.Start(
        any(CLIENTS),
        tag("r"),
        namespace(),
        new Op.Wish(
            externalId(),
            any(List.of(ReusePolicy.values())),
            chance(3) ? "ship" : "order",
            chance(3) ? any(QUEUES) : null,
            chance(8) ? "2" : null,
            chance(5) ? any(LEAPS) : Duration.ZERO,
            chance(8) ? any(LEAPS) : null,
            chance(8) ? any(LEAPS) : null,
            chance(4) ? 1 + random.nextInt(3) : 0,
            chance(4)));
  }

  private Op register(String worker) {
    return new Op.Register(worker, namespace(), chance(4) ? "side" : "main", any(TYPES));
  }

  private Op leave(String worker) {
    return switch (random.nextInt(6)) {
      case 0 -> new Op.Drain(worker);
      case 1, 2 -> new Op.Deregister(worker);
      case 3 -> register(worker);
      default -> new Op.Die(worker);
    };
  }

  private Op loop() {
    return switch (random.nextInt(8)) {
      case 0, 1 -> new Op.SweepLeases();
      case 2 -> new Op.SweepWorkers();
      case 3 -> new Op.EnforceDeadlines();
      case 4 -> new Op.EnforceTimeouts();
      case 5, 6 -> new Op.FireSchedules();
      default -> new Op.CloseChildren();
    };
  }

  private Op client() {
    if (world.everRun.isEmpty()) {
      return start();
    }
    boolean failed = chance(3);
    List<String> failures =
        world.runs.values().stream()
            .filter(run -> run.status.isFailure())
            .map(run -> run.label)
            .toList();
    String label = failed && !failures.isEmpty() ? any(failures) : any(List.copyOf(world.everRun));
    ModelRun run = world.runs.get(label);
    String home = run == null ? "a" : run.namespace;
    String namespace = chance(20) ? any(Duel.NAMESPACES) : home;
    String client = any(CLIENTS);
    if (failed && run != null && run.status.isFailure()) {
      Integer expected = chance(3) ? run.retries - random.nextInt(2) : null;
      return new Op.Retry(
          client, namespace, label, expected == null || expected < 0 ? null : expected);
    }
    return switch (random.nextInt(12)) {
      case 0, 1 -> new Op.Cancel(client, namespace, label, chance(4));
      case 2, 3, 4, 5 ->
          new Op.Send(client, namespace, label, Steps.EVENT, "k" + random.nextInt(4));
      case 6 -> new Op.Retry(client, namespace, label, chance(2) ? random.nextInt(2) : null);
      case 7, 8 -> new Op.Fork(client, tag("r"), namespace, label, forkFrom());
      case 9 -> new Op.Delete(client, namespace, label);
      case 10 -> new Op.StartAgain(client, label);
      default -> new Op.Cancel(client, namespace, label, false);
    };
  }

  private @Nullable String forkFrom() {
    return chance(4) ? null : any(List.of("b", "c", "rest", "kid", "paid", Steps.UNDO));
  }

  private Op schedule() {
    List<String> known = List.copyOf(world.everSchedule);
    if (known.isEmpty() || (known.size() < 3 && chance(3))) {
      return new Op.NewSchedule(
          any(CLIENTS),
          tag("s"),
          "a",
          any(List.of(1, 5, 60)),
          any(List.of(0, 1, 3)),
          any(List.of(OverlapPolicy.values())));
    }
    Op.Touch touch =
        any(List.of(Op.Touch.PAUSE, Op.Touch.RESUME, Op.Touch.RESUME, Op.Touch.TRIGGER));
    return new Op.OnSchedule(any(CLIENTS), chance(10) ? Op.Touch.DELETE : touch, any(known));
  }

  /** Mostly about a run that the worker holds, sometimes about one that it has lost. */
  private Op work(String worker) {
    World.WorkerProcess process = world.process(worker);
    World.Worker life = process.worker;
    List<String> held =
        life == null ? List.of() : world.heldBy(life).stream().map(run -> run.label).toList();
    List<String> believed = List.copyOf(process.epochs.keySet());
    if (held.isEmpty() && (believed.isEmpty() || chance(2))) {
      return new Op.Poll(worker, 1 + random.nextInt(2));
    }
    String label =
        held.isEmpty() || (!believed.isEmpty() && chance(10)) ? any(believed) : any(held);
    ModelRun run = world.runs.get(label);
    return switch (random.nextInt(20)) {
      case 0, 1, 2 -> begin(worker, label, run);
      case 3, 4, 5, 6 -> complete(worker, label, run);
      case 7, 8, 9 -> fail(worker, label, run);
      case 10, 11, 12 -> suspend(worker, label);
      case 13, 14 -> child(worker, label, run);
      case 15 -> new Op.Release(worker, label);
      case 16 -> chance(2) ? new Op.Park(worker, label) : complete(worker, label, run);
      default -> finish(worker, label, run);
    };
  }

  private String function() {
    return chance(4) ? Steps.SAGA : chance(8) ? Steps.UNDO : any(Steps.FUNCTIONS);
  }

  private int attempt(@Nullable ModelRun run, String step) {
    if (run == null || chance(8)) {
      return 1 + random.nextInt(3);
    }
    ModelRun.Begun begun = run.begun.get(step);
    return begun == null ? run.nextAttempt(step) : begun.attempt();
  }

  private Op begin(String worker, String label, @Nullable ModelRun run) {
    String step = function();
    return new Op.Begin(
        worker,
        label,
        step,
        attempt(run, step),
        chance(3) ? null : any(LEAPS),
        1 + random.nextInt(3),
        chance(4));
  }

  private Op complete(String worker, String label, @Nullable ModelRun run) {
    String step = function();
    return new Op.Complete(worker, label, step, attempt(run, step));
  }

  private Op fail(String worker, String label, @Nullable ModelRun run) {
    String step = function();
    return new Op.Fail(worker, label, step, attempt(run, step), 1 + random.nextInt(3), chance(5));
  }

  private Op suspend(String worker, String label) {
    List<Op.Wait> waits = new ArrayList<>();
    int wanted = 1 + random.nextInt(3);
    while (waits.size() < wanted) {
      Op.Wait wait = aWait();
      if (waits.stream().noneMatch(other -> other.step().equals(wait.step()))) {
        waits.add(wait);
      }
    }
    return new Op.Suspend(
        worker, label, List.copyOf(waits), !chance(4), any(List.of(WakeWhen.values())));
  }

  private Op.Wait aWait() {
    @Nullable Duration limit = chance(2) ? null : any(LEAPS);
    return switch (random.nextInt(8)) {
      case 0, 1 ->
          new Op.Wait(any(Steps.TIMERS), WaitKind.TIMER, chance(6) ? Duration.ZERO : any(LEAPS));
      case 2 -> new Op.Wait(any(Steps.FUNCTIONS), WaitKind.RETRY, any(LEAPS));
      case 3, 4 -> new Op.Wait(any(Steps.CHILDREN), WaitKind.CHILD, limit);
      default -> new Op.Wait(any(Steps.EVENTS), WaitKind.EVENT, limit);
    };
  }

  private Op child(String worker, String label, @Nullable ModelRun run) {
    String step = any(Steps.CHILDREN);
    return new Op.StartChild(
        worker,
        label,
        tag("r"),
        step,
        attempt(run, step),
        chance(20) ? "unheard-of" : chance(2) ? "ship" : "order",
        chance(4) ? "x" + random.nextInt(3) : null,
        any(List.of(ParentClosePolicy.values())));
  }

  private Op finish(String worker, String label, @Nullable ModelRun run) {
    if (run != null && run.status == RunStatus.RUNNING && run.stop != null && !chance(4)) {
      return new Op.Finish(worker, label, Op.How.STOPPED, null);
    }
    Op.How how =
        switch (random.nextInt(10)) {
          case 0, 1, 2 -> Op.How.COMPLETED;
          case 3, 4, 5 -> Op.How.FAILED;
          case 6, 7 -> Op.How.FAILED_FOR_GOOD;
          case 8 -> Op.How.CONTINUED;
          default -> chance(2) ? Op.How.STOPPED : Op.How.OUT_OF_TIME;
        };
    boolean failed = how == Op.How.FAILED || how == Op.How.FAILED_FOR_GOOD;
    return new Op.Finish(worker, label, how, failed && chance(2) ? function() : null);
  }
}
