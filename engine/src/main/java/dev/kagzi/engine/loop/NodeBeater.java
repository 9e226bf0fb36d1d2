package dev.kagzi.engine.loop;

import dev.kagzi.engine.domain.EngineClock;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.store.NodeStore;
import dev.kagzi.engine.wakeup.NotifyCoalescer;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the other servers that this one lives, follows the database's clock and looks whether a
 * lease has run out: one statement for all three, because this is what an idle server does.
 */
public final class NodeBeater {

  private static final Logger log = LoggerFactory.getLogger(NodeBeater.class);

  /** A server that has been silent for this long is not spoken to any more. */
  private static final Duration MEMORY = Duration.ofSeconds(30);

  private final Database database;
  private final EngineClock clock;
  private final NodeStore.Node node;
  private final LeaseSweeper sweeper;
  private final NotifyCoalescer notifier;
  private final NodeStore store = new NodeStore();
  private volatile long lastSuccessNanos = System.nanoTime();
  private volatile boolean everBeat;

  public NodeBeater(
      Database database,
      EngineClock clock,
      NodeStore.Node node,
      LeaseSweeper sweeper,
      NotifyCoalescer notifier) {
    this.database = database;
    this.clock = clock;
    this.node = node;
    this.sweeper = sweeper;
    this.notifier = notifier;
  }

  public void runOnce(Instant now) {
    NodeStore.Look look =
        database.inTransaction(
            tx -> store.beat(tx, node, sweeper.expiredBefore(now), now.minus(MEMORY), now));
    Optional<Duration> back = clock.sample(look.databaseTime());
    back.ifPresent(step ->
        log.error("the database's clock was set back by {}; timers fire that much later", step));
    notifier.speakIf(look.othersLive());
    lastSuccessNanos = System.nanoTime();
    everBeat = true;
    if (look.leasesExpired()) {
      sweeper.runOnce(clock.instant());
    }
  }

  /** How long the database has not answered this loop; empty before the first beat. */
  public Optional<Duration> silence() {
    return everBeat
        ? Optional.of(Duration.ofNanos(System.nanoTime() - lastSuccessNanos))
        : Optional.empty();
  }

  /** Signs off. */
  public void leave() {
    database.inTransaction(tx -> {
      store.remove(tx, node.nodeId());
      return true;
    });
  }
}
