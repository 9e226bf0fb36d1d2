package dev.kagzi.engine.interleaving;

import dev.kagzi.core.RetryPolicy;
import dev.kagzi.engine.commit.Endings;
import dev.kagzi.engine.commit.GroupCommit;
import dev.kagzi.engine.commit.HeartbeatBatch;
import dev.kagzi.engine.domain.StepCap;
import dev.kagzi.engine.domain.Telemetry;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.operation.Children;
import dev.kagzi.engine.operation.Deadlines;
import dev.kagzi.engine.operation.Dispatcher;
import dev.kagzi.engine.operation.Firings;
import dev.kagzi.engine.operation.Histories;
import dev.kagzi.engine.operation.Messages;
import dev.kagzi.engine.operation.Namespaces;
import dev.kagzi.engine.operation.OneClaim;
import dev.kagzi.engine.operation.OneHandoff;
import dev.kagzi.engine.operation.Partitions;
import dev.kagzi.engine.operation.Recovery;
import dev.kagzi.engine.operation.Retries;
import dev.kagzi.engine.operation.Tasks;
import dev.kagzi.engine.operation.Timers;
import dev.kagzi.engine.operation.Workers;
import dev.kagzi.engine.operation.Workflows;
import dev.kagzi.engine.wakeup.NotifyCoalescer;
import dev.kagzi.engine.wakeup.Signals;
import java.time.Duration;
import java.time.InstantSource;

/**
 * The operations of a server without its loops, so that it does what it is asked and nothing else.
 * Its one commit lane is its own: commands of two benches are never in one transaction.
 */
final class Bench implements AutoCloseable {

  static final Duration LEASE = Duration.ofSeconds(30);
  private static final int MAX_CRASHES = 10;
  private static final StepCap CAP = new StepCap(50_000);

  private final NotifyCoalescer notifier;
  private final Timers timers = new Timers();
  private final GroupCommit commits;
  private final HeartbeatBatch heartbeats;
  private final Dispatcher dispatcher;
  private final InstantSource clock;
  final Workflows workflows;
  final Messages messages;
  final Retries retries;
  final Firings firings;
  final Recovery recovery;
  final Workers workers;
  final Deadlines deadlines;
  final Tasks tasks;
  final Children children;
  final OneClaim claims;
  final OneHandoff handoff;

  /**
   * @param racing carries what the race is about
   * @param plain carries what servers remember and do not ask for each time
   */
  Bench(Database racing, Database plain, InstantSource clock) {
    this.clock = clock;
    this.notifier = new NotifyCoalescer(plain);
    Signals signals = Signals.over(notifier, Telemetry.NONE);
    Endings endings = new Endings(clock);
    Namespaces namespaces = new Namespaces(plain, clock);
    Partitions partitions = new Partitions(plain);
    partitions.makeAhead(clock.instant());
    var rules = new GroupCommit.Rules(RetryPolicy.DEFAULT, CAP);
    this.commits =
        new GroupCommit(racing, clock, endings, signals, new GroupCommit.Size(1, 100), rules);
    this.heartbeats = new HeartbeatBatch(racing, clock, LEASE, 100);
    this.workflows = new Workflows(racing, clock, commits, namespaces, partitions);
    this.messages = new Messages(racing, commits, namespaces, workflows);
    this.retries = new Retries(racing, clock, namespaces, signals.work());
    this.firings = new Firings(racing, clock, workflows, partitions, signals);
    this.recovery = new Recovery(racing, clock, endings, signals, MAX_CRASHES);
    this.workers = new Workers(racing, clock, heartbeats, namespaces, recovery);
    this.deadlines = new Deadlines(racing, clock, endings, signals);
    this.dispatcher = Dispatcher.over(plain, clock, LEASE, signals.work(), timers, Telemetry.NONE);
    Histories histories = new Histories(racing);
    this.tasks = new Tasks(dispatcher, workers, commits, histories, CAP);
    this.children = new Children(plain, clock, commits, partitions, histories, CAP);
    this.claims = new OneClaim(racing, clock, LEASE);
    this.handoff = new OneHandoff(racing, clock, LEASE);
    // The dispatcher has offered itself, but who polls here does it apart.
    signals.work().handOverBy(handoff);
  }

  InstantSource clock() {
    return clock;
  }

  @Override
  public void close() {
    commits.close();
    heartbeats.close();
    dispatcher.close();
    timers.close();
    notifier.close();
  }
}
