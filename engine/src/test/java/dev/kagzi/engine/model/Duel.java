package dev.kagzi.engine.model;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.engine.Engine;
import dev.kagzi.engine.EngineConfig;
import dev.kagzi.engine.TestEngine;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.Namespace;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.loop.DeadlineEnforcer;
import dev.kagzi.engine.loop.LeaseSweeper;
import dev.kagzi.engine.loop.ScheduleFirer;
import dev.kagzi.engine.loop.StepTimeoutEnforcer;
import dev.kagzi.engine.loop.WorkerSweeper;
import dev.kagzi.engine.operation.Orphans;
import dev.kagzi.engine.store.Schema;
import dev.kagzi.postgres.SharedPostgres;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Carries the same operations out on the model and on an engine at rest, and says where the two
 * disagree. One engine serves many histories; each has namespaces of its own and begins with empty
 * tables.
 */
final class Duel implements AutoCloseable {

  static final List<String> NAMESPACES = List.of("a", "b");

  private static final Duration TICK = Duration.ofMillis(1);

  /** Deleted from, because TRUNCATE makes new files for every partition and all its indexes. */
  private static final List<String> TABLES =
      List.of(
          "workflow_runs",
          "finished_runs",
          "ended_parents",
          "workflow_payloads",
          "step_runs",
          "running_steps",
          "run_waits",
          "run_events",
          "child_items",
          "schedule_firings",
          "workers",
          "worker_events",
          "workflow_types");

  private final VirtualTime time = new VirtualTime();
  private final HikariDataSource pool;
  private final Engine engine;
  private final Database database;
  private final Labels labels;
  private final RealClients clients;
  private final RealWorkers workers;
  private final RealState state;
  private Model model = new Model();
  private final Map<String, Integer> answers = new TreeMap<>();
  private int histories;

  Duel() {
    String url = SharedPostgres.freshDatabase();
    // What is compared is what is visible; a crash of PostgreSQL is no part of these histories.
    String quick = "options=-c%20synchronous_commit=off";
    this.pool = TestEngine.open(url + (url.contains("?") ? "&" : "?") + quick);
    new Schema(pool).migrate();
    EngineConfig usual = EngineConfig.defaults();
    EngineConfig.Leases leases =
        new EngineConfig.Leases(
            WorkerRules.LEASE,
            Duration.ofSeconds(10),
            Duration.ofSeconds(5),
            WorkerRules.STALE,
            WorkerRules.MAX_CRASHES);
    this.engine =
        Engine.atRest(
            pool, new EngineConfig(leases, usual.intervals(), usual.commit(), usual.node()), time);
    this.database = new Database(pool);
    this.labels = new Labels(database);
    this.clients = new RealClients(engine, labels, time, this::realName);
    this.workers = new RealWorkers(engine, labels, time, this::realName);
    this.state = new RealState(database, labels);
  }

  private String realName(String namespace) {
    return "h" + histories + "-" + namespace;
  }

  /** A new history: nothing is there, and it is the beginning of an hour. */
  void begin() {
    histories++;
    labels.clear();
    model = new Model();
    time.passToNextHour();
    database.inTransaction(tx -> {
      TABLES.forEach(table -> tx.assembled("DELETE FROM kagzi." + table).execute());
      return true;
    });
    for (String namespace : NAMESPACES) {
      var unused =
          engine
              .namespaces()
              .create(realName(namespace), new Namespace.Settings("", null, Map.of()));
    }
  }

  World world() {
    return model.world;
  }

  /** Carries out an operation; the disagreement about it, if there is one. */
  @Nullable String play(Op op) {
    if (!model.means(op)) {
      return null;
    }
    time.pass(op instanceof Op.Advance advance ? advance.by() : TICK);
    if (op instanceof Op.Poll poll) {
      return poll(poll);
    }
    String found = found(op);
    String expected = model.apply(op, time.instant());
    count(op, found);
    return found.equals(expected)
        ? null
        : "the engine says: %s%nexpected:        %s".formatted(found, expected);
  }

  /** How often each operation was answered how, to see that all of it was tried. */
  Map<String, Integer> answers() {
    return answers;
  }

  private void count(Op op, String answer) {
    String[] words = answer.split("[ ,]+", 3);
    String said = words[0].equals("refused") ? words[1] : words[0];
    answers.merge(op.getClass().getSimpleName() + " " + said, 1, Integer::sum);
  }

  private String found(Op op) {
    try {
      return ask(op);
    } catch (EngineException refusal) {
      return "refused " + refusal.code();
    } catch (RuntimeException | AssertionError failure) {
      return "threw " + failure;
    }
  }

  private String ask(Op op) {
    return switch (op) {
      case Op.Start start -> clients.start(start);
      case Op.StartAgain again -> clients.startAgain(again, known(world().runs.get(again.run())));
      case Op.Cancel cancel -> clients.cancel(cancel);
      case Op.Retry retry -> clients.retry(retry);
      case Op.Fork fork -> clients.fork(fork);
      case Op.Send send -> clients.send(send);
      case Op.Delete delete -> clients.delete(delete);
      case Op.NewSchedule schedule -> clients.create(schedule);
      case Op.OnSchedule touch -> clients.touch(touch, "a");
      case Op.Worked worked -> ask(worked);
      case Op.Looped looped -> {
        turn(looped, time.instant());
        yield "";
      }
    };
  }

  private static <T> T known(@Nullable T value) {
    if (value == null) {
      throw new IllegalStateException("the model has lost what the operation is about");
    }
    return value;
  }

  private String ask(Op.Worked op) {
    World.WorkerProcess process = world().process(op.worker());
    if (op instanceof Op.Register register) {
      return workers.register(register, process.lives + 1);
    }
    World.Worker worker = known(process.worker);
    if (op instanceof Op.OnRun on) {
      return workers.onRun(on, worker, process.epochs.getOrDefault(on.run(), 1));
    }
    return switch (op) {
      case Op.Beat beat -> workers.beat(worker, process.epochs);
      case Op.Drain drain -> workers.drain(worker);
      case Op.Deregister leave -> workers.deregister(worker);
      case Op.Die die -> workers.die(worker);
      default -> throw new IllegalStateException(op.toString());
    };
  }

  private void turn(Op.Looped op, Instant now) {
    switch (op) {
      case Op.SweepLeases sweep -> new LeaseSweeper(engine.recovery()).runOnce(now);
      case Op.SweepWorkers sweep ->
          new WorkerSweeper(engine.recovery(), WorkerRules.STALE).runOnce(now);
      case Op.EnforceDeadlines enforce -> new DeadlineEnforcer(engine.deadlines()).runOnce();
      case Op.EnforceTimeouts enforce -> new StepTimeoutEnforcer(engine.stepTimeouts()).runOnce();
      case Op.FireSchedules fire ->
          new ScheduleFirer(engine.scheduling().firings(), 100, 1000).runOnce(now);
      case Op.CloseChildren close -> {
        var orphans = new Orphans(database, engine.workflows());
        while (orphans.cancelSome() > 0) {
          // What this has cancelled may have left children behind in turn.
        }
      }
      case Op.Advance advance -> {}
    }
  }

  /** Which of several due runs a worker gets is the engine's choice, within the rules. */
  private @Nullable String poll(Op.Poll op) {
    World.WorkerProcess process = world().process(op.worker());
    World.Worker worker = known(process.worker);
    List<Task> tasks;
    try {
      tasks = workers.poll(worker, op.max());
    } catch (EngineException refusal) {
      boolean right = worker.isOffline() && refusal.code() == ErrorCode.WORKER_NOT_FOUND;
      return right ? null : "the engine refuses: " + refusal.code();
    }
    List<String> given =
        tasks.stream().map(task -> labels.of(task.claim().runId().value())).toList();
    Instant now = time.instant();
    String objection = model.workers.objection(worker, op.max(), given, now);
    if (objection != null) {
      return "the engine hands out %s%n%s".formatted(given, objection);
    }
    List<String> wrong = new ArrayList<>();
    for (Task task : tasks) {
      ModelRun run = known(world().runs.get(labels.of(task.claim().runId().value())));
      String expected = model.workers.claim(run, worker, now);
      process.epochs.put(run.label, run.epoch);
      count(op, "claimed");
      if (!workers.text(task).equals(expected)) {
        wrong.add("the engine hands out: %s%nexpected: %s".formatted(workers.text(task), expected));
      }
    }
    return wrong.isEmpty() ? null : String.join("\n", wrong);
  }

  /** Everything in which the two states differ; null if they agree. */
  @Nullable String differences() {
    SortedMap<String, String> real = state.read();
    SortedMap<String, String> expected = Facts.of(world());
    if (real.equals(expected)) {
      return null;
    }
    TreeSet<String> names = new TreeSet<>(real.keySet());
    names.addAll(expected.keySet());
    Map<String, String> wrong = new TreeMap<>();
    for (String name : names) {
      String one = String.valueOf(real.get(name));
      String other = String.valueOf(expected.get(name));
      if (!one.equals(other)) {
        wrong.put(name, "%n  the engine: %s%n  expected:   %s".formatted(one, other));
      }
    }
    return wrong.toString();
  }

  @Override
  public void close() {
    engine.close();
    pool.close();
  }
}
