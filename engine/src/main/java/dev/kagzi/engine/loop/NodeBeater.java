package dev.kagzi.engine.loop;

import dev.kagzi.engine.domain.EngineClock;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.jdbc.DatabaseException;
import dev.kagzi.engine.store.NodeStore;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the other servers that this one lives, follows the database's clock and looks whether a
 * lease has run out or another server fell silent: one statement for all of it, because this is
 * what an idle server does.
 */
public final class NodeBeater {

  private static final Logger log = LoggerFactory.getLogger(NodeBeater.class);

  /** A server that has been silent for this long is not spoken to any more. */
  private static final Duration MEMORY = Duration.ofSeconds(30);

  /** For how long people are told that the clock was set back. */
  private static final Duration NEWS = Duration.ofMinutes(10);

  private static final int FIRST_SAMPLES = 5;

  private record SetBack(Duration step, long atNanos) {}

  /** Learns what a beat saw. */
  public interface Observer {

    /**
     * Called after each beat.
     *
     * @param steadyFor for how long this server's own beats have gone through without a gap: only
     *     then is the silence of another its own, and not the database's
     */
    void saw(NodeStore.Look look, Duration steadyFor);
  }

  private final Database database;
  private final EngineClock clock;
  private final NodeStore.Node node;
  private final Duration deadAfter;
  private final Observer observer;
  private final NodeStore store = new NodeStore();
  private volatile long lastSuccessNanos = System.nanoTime();
  private volatile boolean everBeat;
  private volatile long steadySinceNanos;
  private volatile @Nullable SetBack setBack;

  public NodeBeater(
      Database database,
      EngineClock clock,
      NodeStore.Node node,
      Duration deadAfter,
      Observer observer) {
    this.database = database;
    this.clock = clock;
    this.node = node;
    this.deadAfter = deadAfter;
    this.observer = observer;
  }

  /** A first reply that came late would leave the clock behind, and the next beat make it jump. */
  public static EngineClock startClock(Database database) {
    NodeStore nodes = new NodeStore();
    EngineClock clock = new EngineClock(database.inTransaction(nodes::databaseTime));
    for (int i = 0; i < FIRST_SAMPLES; i++) {
      long sent = System.nanoTime();
      Instant sample = database.inTransaction(nodes::databaseTime);
      clock.sample(sample, Duration.ofNanos(System.nanoTime() - sent));
    }
    return clock;
  }

  public void runOnce(Instant now) {
    NodeStore.Moments moments =
        new NodeStore.Moments(
            LeaseSweeper.expiredBefore(now), now.minus(MEMORY), now.minus(deadAfter));
    long sentNanos = System.nanoTime();
    NodeStore.Look look = database.inTransaction(tx -> store.beat(tx, node, moments, now));
    clock
        .sample(look.databaseTime(), Duration.ofNanos(System.nanoTime() - sentNanos))
        .ifPresent(this::noteSetBack);
    noteSuccess();
    if (database.isFull()) {
      lookForRoom();
    }
    observer.saw(look, steadyFor());
  }

  /** A beat finds its place on any disk, a new table only on one that has room. */
  private void lookForRoom() {
    try {
      database.once(tx -> {
        store.tryRoom(tx);
        return true;
      });
    } catch (DatabaseException failure) {
      if (failure.isDiskFull() || failure.isTransient()) {
        return;
      }
      log.warn("could not look whether the database's disk has room: {}", failure.toString());
    }
    database.noteRoom();
    log.info("the database's disk has room again");
  }

  private void noteSetBack(Duration step) {
    log.error("the database's clock was set back by {}; timers fire that much later", step);
    setBack = new SetBack(step, System.nanoTime());
  }

  /** How far the database's clock was set back, if that happened lately. */
  public Optional<Duration> setBack() {
    SetBack last = setBack;
    return last == null || System.nanoTime() - last.atNanos() > NEWS.toNanos()
        ? Optional.empty()
        : Optional.of(last.step());
  }

  /** A gap may have been the database's, and then every server has one. */
  private void noteSuccess() {
    long nanos = System.nanoTime();
    if (!everBeat || nanos - lastSuccessNanos > deadAfter.toNanos() / 2) {
      steadySinceNanos = nanos;
    }
    lastSuccessNanos = nanos;
    everBeat = true;
  }

  /** For how long the beats have gone through without a gap. */
  public Duration steadyFor() {
    return everBeat ? Duration.ofNanos(lastSuccessNanos - steadySinceNanos) : Duration.ZERO;
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
