package dev.kagzi.engine;

import dev.kagzi.engine.commit.Endings;
import dev.kagzi.engine.commit.GroupCommit;
import dev.kagzi.engine.commit.HeartbeatBatch;
import dev.kagzi.engine.domain.ComponentHealth;
import dev.kagzi.engine.domain.EngineClock;
import dev.kagzi.engine.domain.LoopPulse;
import dev.kagzi.engine.domain.Telemetry;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.loop.BatchRunner;
import dev.kagzi.engine.loop.ChildCloser;
import dev.kagzi.engine.loop.FallbackPoller;
import dev.kagzi.engine.loop.HistoryPruner;
import dev.kagzi.engine.loop.Loop;
import dev.kagzi.engine.loop.NodeBeater;
import dev.kagzi.engine.loop.PartitionKeeper;
import dev.kagzi.engine.loop.WorkerPruner;
import dev.kagzi.engine.operation.BatchWork;
import dev.kagzi.engine.operation.Batches;
import dev.kagzi.engine.operation.Beliefs;
import dev.kagzi.engine.operation.Checkups;
import dev.kagzi.engine.operation.Children;
import dev.kagzi.engine.operation.Completions;
import dev.kagzi.engine.operation.Deadlines;
import dev.kagzi.engine.operation.Dispatcher;
import dev.kagzi.engine.operation.Explanations;
import dev.kagzi.engine.operation.Firings;
import dev.kagzi.engine.operation.Forks;
import dev.kagzi.engine.operation.Histories;
import dev.kagzi.engine.operation.Messages;
import dev.kagzi.engine.operation.NamespaceRegistry;
import dev.kagzi.engine.operation.Namespaces;
import dev.kagzi.engine.operation.Orphans;
import dev.kagzi.engine.operation.Partitions;
import dev.kagzi.engine.operation.Queues;
import dev.kagzi.engine.operation.Recovery;
import dev.kagzi.engine.operation.Retention;
import dev.kagzi.engine.operation.Retries;
import dev.kagzi.engine.operation.RunLists;
import dev.kagzi.engine.operation.Statistics;
import dev.kagzi.engine.operation.StepLists;
import dev.kagzi.engine.operation.StepTimeouts;
import dev.kagzi.engine.operation.Surroundings;
import dev.kagzi.engine.operation.Tasks;
import dev.kagzi.engine.operation.Timers;
import dev.kagzi.engine.operation.WorkerLists;
import dev.kagzi.engine.operation.WorkerPresence;
import dev.kagzi.engine.operation.Workers;
import dev.kagzi.engine.operation.WorkflowTypes;
import dev.kagzi.engine.operation.Workflows;
import dev.kagzi.engine.store.NodeStore;
import dev.kagzi.engine.wakeup.NewsSignals;
import dev.kagzi.engine.wakeup.NotifyCoalescer;
import dev.kagzi.engine.wakeup.PostgresListener;
import dev.kagzi.engine.wakeup.Signals;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Everything the engine consists of, built and started in order. The schema must be current before
 * one is made; see {@link dev.kagzi.engine.store.Schema}.
 */
public final class Engine implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Engine.class);
  private static final Duration PARTITION_INTERVAL = Duration.ofHours(1);
  private static final Duration RETENTION_INTERVAL = Duration.ofMinutes(10);
  private static final Duration PRUNE_INTERVAL = Duration.ofHours(1);

  /** Of batches and children: idle turns cost nothing, they know when there is something to do. */
  private static final Duration EAGER_INTERVAL = Duration.ofMillis(100);

  private final EngineConfig config;
  private final Database database;
  private final EngineClock clock;
  private final GroupCommit commits;
  private final HeartbeatBatch heartbeats;
  private final Timers timers;
  private final Workflows workflows;
  private final Messages messages;
  private final Retries retries;
  private final Forks forks;
  private final BatchWork batchWork;
  private final Batches batches;
  private final Scheduling scheduling;
  private final Workers workers;
  private final NamespaceRegistry namespaceRegistry;
  private final WorkerLists workerLists;
  private final Queues queues;
  private final Statistics statistics;
  private final RunLists runLists;
  private final WorkflowTypes workflowTypes;
  private final Explanations explanations;
  private final StepLists stepLists;
  private final Recovery recovery;
  private final WorkerPresence presence;
  private final Dispatcher dispatcher;
  private final Tasks tasks;
  private final Children children;
  private final Beliefs beliefs;
  private final Completions completions;
  private final Deadlines deadlines;
  private final StepTimeouts stepTimeouts;
  private final Duties duties;
  private final NodeStore.Node node;
  private final NodeBeater nodeBeater;
  private final PassingTime passingTime;
  private final NotifyCoalescer notifier;
  private final Signals signals;
  private final PostgresListener listener;
  private final Checkups checkups;
  private final Surroundings surroundings;
  private final Instant startedAt;
  private final List<Loop> loops = new ArrayList<>();
  private volatile boolean leaving;

  private Engine(
      Database database,
      DataSource listenOn,
      EngineConfig config,
      Telemetry telemetry,
      EngineClock clock) {
    this.config = config;
    this.database = database;
    this.clock = clock;
    this.startedAt = clock.instant();
    this.checkups = new Checkups(database, clock, config.patience().warning());
    this.surroundings = new Surroundings(database, config.node().deadAfter());
    // What can fail comes before the first thread is started.
    Partitions partitions = new Partitions(database);
    PartitionKeeper partitionKeeper = new PartitionKeeper(partitions);
    partitionKeeper.runOnce(clock.instant());
    Namespaces namespaces = new Namespaces(database, clock);
    namespaces.createDefault();
    this.namespaceRegistry = new NamespaceRegistry(database, clock, namespaces);
    this.runLists = new RunLists(database, clock);
    this.workerLists = new WorkerLists(database, clock, namespaces);
    this.queues = new Queues(database, clock, namespaces);
    this.statistics = new Statistics(database, clock, namespaces);
    this.workflowTypes = new WorkflowTypes(database, clock, namespaces);
    this.explanations = new Explanations(database, clock, config.steps().retry());
    this.stepLists = new StepLists(database, clock);

    this.timers = clock.isGiven() ? Timers.silent() : new Timers();
    this.notifier = new NotifyCoalescer(database);
    this.signals = Signals.over(notifier, telemetry);
    Duration lease = config.leases().lease();
    Endings endings = new Endings(clock);
    EngineConfig.Steps steps = config.steps();
    var rules = new GroupCommit.Rules(steps.retry(), steps.cap());
    Database often = database.keepingPlans();
    this.commits = new GroupCommit(often, clock, endings, signals, config.commit(), rules);
    this.heartbeats = new HeartbeatBatch(often, clock, lease, config.commit().maxBatch());
    this.workflows = new Workflows(database, clock, commits, namespaces, partitions);
    this.messages = new Messages(database, commits, namespaces, workflows);
    this.retries = new Retries(database, clock, namespaces, signals.work());
    this.forks = new Forks(database, clock, namespaces, partitions, signals);
    this.batchWork = new BatchWork(database, workflows, retries, runLists);
    this.batches = new Batches(database, clock, namespaces, runLists, batchWork);
    var firings = new Firings(database, clock, workflows, partitions, signals);
    this.scheduling = new Scheduling(database, clock, namespaces, firings, timers, config.firing());
    this.recovery =
        new Recovery(database, clock, endings, signals, config.leases().maxRecoveryAttempts());
    this.workers = new Workers(database, clock, heartbeats, namespaces, recovery);
    this.presence =
        new WorkerPresence(workers, recovery, clock, timers, config.leases().suspectGrace());
    this.dispatcher = Dispatcher.over(often, clock, lease, signals.work(), timers, telemetry);
    Histories histories = new Histories(database);
    this.tasks = new Tasks(dispatcher, workers, commits, histories, steps.cap());
    this.children = new Children(database, clock, commits, partitions, histories, steps.cap());
    this.beliefs = new Beliefs(partitions::forget, children::forget);
    this.completions = new Completions(often, signals.done(), timers);
    this.deadlines = new Deadlines(database, clock, endings, signals);
    this.stepTimeouts = new StepTimeouts(database, clock, signals, steps.retry());
    this.duties = new Duties(config, clock, timers, recovery, deadlines, stepTimeouts);

    this.node = ThisNode.of(config.node());
    this.nodeBeater = new NodeBeater(database, clock, node, termsOf(config), this::afterBeat);
    FallbackPoller fallback = new FallbackPoller(dispatcher, completions);
    ChildCloser closer = new ChildCloser(new Orphans(database, workflows), signals.orphans());
    this.passingTime =
        new PassingTime(
            database,
            clock,
            List.of(deadlines::enforce, scheduling::fire, closer::runOnce, dispatcher::claimNow));
    if (!clock.isGiven()) {
      startLoops(closer, partitionKeeper, fallback);
    }
    this.listener = new PostgresListener(listenOn, database, signals, fallback::runOnce);
  }

  private void afterBeat(NodeStore.Look look, Duration steadyFor) {
    beliefs.answeredBy(look.databaseSince());
    notifier.speakIf(look.othersLive());
    if (look.orphans()) {
      signals.orphans().parentEnded();
    }
    Instant firing = look.nextFiring();
    if (firing != null) {
      scheduling.ringFor(firing);
    }
    duties.callFor(look, steadyFor);
  }

  /** Beats come every so often, so the look at the workers comes with the last in its time. */
  private static NodeBeater.Terms termsOf(EngineConfig config) {
    EngineConfig.Intervals every = config.intervals();
    return new NodeBeater.Terms(
        config.node().deadAfter(),
        config.leases().workerStale(),
        every.coordinator().minus(every.nodeBeat()));
  }

  private void startLoops(
      ChildCloser childCloser, PartitionKeeper partitionKeeper, FallbackPoller fallback) {
    EngineConfig.Intervals every = config.intervals();
    startBeating(every, fallback);
    BatchRunner batchRunner = new BatchRunner(batchWork);
    start("batches", EAGER_INTERVAL, () -> batchRunner.runOnce(clock.instant()));
    start("children", EAGER_INTERVAL, childCloser::runOnce);
    WorkerPruner workerPruner = new WorkerPruner(workerLists);
    start("worker-prune", PRUNE_INTERVAL, () -> workerPruner.runOnce(clock.instant()));
    start("partitions", PARTITION_INTERVAL, () -> partitionKeeper.runOnce(clock.instant()));
    HistoryPruner historyPruner =
        new HistoryPruner(new Retention(database, config.retentionDays()));
    start("retention", RETENTION_INTERVAL, () -> historyPruner.runOnce(clock.instant()));
  }

  /**
   * A beat is called for by the look for work that falls due with it, and takes it along; one for
   * which nobody calls comes by itself a little later.
   */
  private void startBeating(EngineConfig.Intervals every, FallbackPoller fallback) {
    Duration alone = every.nodeBeat().multipliedBy(5).dividedBy(4);
    Loop beats = start("node-beat", alone, () -> nodeBeater.runOnce(clock.instant()));
    Duration near = every.nodeBeat().minus(every.fallbackPoll().dividedBy(2));
    start(
        "fallback-poll",
        every.fallbackPoll(),
        () ->
            fallback.runOnce(look ->
                nodeBeater.sinceBeat().compareTo(near) >= 0
                    && nodeBeater.takeAlong(look, beats::hurry)));
  }

  private Loop start(String name, Duration interval, Runnable body) {
    Loop loop = new Loop(name, interval, body).start();
    loops.add(loop);
    return loop;
  }

  /** Builds the engine on a database whose schema is current, and starts its loops. */
  public static Engine start(DataSource dataSource, EngineConfig config) {
    return start(dataSource, dataSource, config, Telemetry.NONE);
  }

  /**
   * The same where the first data source goes through a pooler.
   *
   * @param listenOn gives a connection of its own, on which LISTEN works
   * @param telemetry hears what is done
   */
  public static Engine start(
      DataSource dataSource, DataSource listenOn, EngineConfig config, Telemetry telemetry) {
    Database database = new Database(dataSource);
    return new Engine(database, listenOn, config, telemetry, NodeBeater.startClock(database));
  }

  /**
   * An engine at rest: its time is the given one, no timer rings and no loop turns by itself. What
   * loops do, the caller has done by their {@code runOnce}.
   */
  public static Engine atRest(DataSource dataSource, EngineConfig config, InstantSource time) {
    EngineClock clock = EngineClock.given(time);
    return new Engine(new Database(dataSource), dataSource, config, Telemetry.NONE, clock);
  }

  /** What the time brings to an engine at rest. */
  public PassingTime passingTime() {
    return passingTime;
  }

  public EngineConfig config() {
    return config;
  }

  /** The one source of time. */
  public EngineClock clock() {
    return clock;
  }

  public Workflows workflows() {
    return workflows;
  }

  public Messages messages() {
    return messages;
  }

  public Retries retries() {
    return retries;
  }

  public Forks forks() {
    return forks;
  }

  public Batches batches() {
    return batches;
  }

  public Scheduling scheduling() {
    return scheduling;
  }

  public RunLists runLists() {
    return runLists;
  }

  public WorkflowTypes workflowTypes() {
    return workflowTypes;
  }

  public Explanations explanations() {
    return explanations;
  }

  public StepLists stepLists() {
    return stepLists;
  }

  public Completions completions() {
    return completions;
  }

  public Workers workers() {
    return workers;
  }

  public NamespaceRegistry namespaces() {
    return namespaceRegistry;
  }

  public Queues queues() {
    return queues;
  }

  public Statistics statistics() {
    return statistics;
  }

  public WorkerLists workerLists() {
    return workerLists;
  }

  public Recovery recovery() {
    return recovery;
  }

  public Deadlines deadlines() {
    return deadlines;
  }

  public StepTimeouts stepTimeouts() {
    return stepTimeouts;
  }

  public WorkerPresence presence() {
    return presence;
  }

  /** Who tells workers that waits of their runs have ended. */
  public NewsSignals news() {
    return signals.news();
  }

  public Tasks tasks() {
    return tasks;
  }

  public Children children() {
    return children;
  }

  /**
   * The process that workers registering here live in; empty if they have processes of their own.
   */
  public Optional<UUID> homeOfWorkers() {
    return config.node().embedded() ? Optional.of(node.nodeId()) : Optional.empty();
  }

  /** Whether the database answered lately. */
  public boolean isDatabaseUp() {
    Duration limit = config.intervals().nodeBeat().multipliedBy(3);
    return nodeBeater.silence().map(silence -> silence.compareTo(limit) < 0).orElse(true);
  }

  /** Whether the database's disk is full, as far as is known. */
  public boolean isDatabaseFull() {
    return database.isFull();
  }

  /** How well every part of this server is; answers within a second or two in any case. */
  public List<ComponentHealth> checkUp() {
    return checkups.check(
        new Checkups.Vitals(listener.isUp(), nodeBeater.setBack().orElse(null), leaving, pulses()));
  }

  /** How the loops go, and what is done when it falls due; costs nothing. */
  public List<LoopPulse> pulses() {
    List<LoopPulse> pulses = new ArrayList<>(loops.stream().map(Loop::pulse).toList());
    pulses.add(scheduling.pulse());
    pulses.addAll(duties.pulses());
    return pulses;
  }

  public Surroundings surroundings() {
    return surroundings;
  }

  /** The server process that this engine is part of. */
  public UUID nodeId() {
    return node.nodeId();
  }

  public Instant startedAt() {
    return startedAt;
  }

  /** Whether news of other servers arrives; without it they are heard by polling. */
  public boolean isListening() {
    return listener.isUp();
  }

  /** Answers those who wait for work and hands out no more; results are still taken. */
  public void drain() {
    leaving = true;
    presence.close();
    dispatcher.close();
  }

  /** Writes what was accepted, then stops. The data source stays open; it is not ours. */
  @Override
  public void close() {
    drain();
    listener.close();
    loops.forEach(Loop::close);
    duties.close();
    scheduling.close();
    commits.close();
    heartbeats.close();
    completions.close();
    notifier.close();
    timers.close();
    signOff();
  }

  private void signOff() {
    try {
      nodeBeater.leave();
    } catch (RuntimeException unreachable) {
      log.debug("could not sign off; others will notice: {}", unreachable.toString());
    }
  }
}
