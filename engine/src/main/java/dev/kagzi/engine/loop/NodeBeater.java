package dev.kagzi.engine.loop;

import dev.kagzi.engine.domain.EngineClock;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.jdbc.DatabaseException;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.NodeStore;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the other servers that this one lives, follows the database's clock and looks whether a
 * lease has run out or a server or worker fell silent: one statement for all of it, because this is
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

  /**
   * When who counts as gone.
   *
   * @param deadAfter how long a server may be silent
   * @param workerStale how long a worker may be
   * @param workerLook how long it takes at least from one look at the workers to the next
   */
  public record Terms(Duration deadAfter, Duration workerStale, Duration workerLook) {}

  /** Reads something in the transaction of a beat, which nothing that it finds depends on. */
  @FunctionalInterface
  public interface Passenger {
    void read(Transaction tx);
  }

  /** Nobody. */
  private static final Passenger NOBODY = tx -> {};

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
  private final Terms terms;
  private final Observer observer;
  private final NodeStore store = new NodeStore();
  private final AtomicReference<Passenger> passenger = new AtomicReference<>(NOBODY);
  private volatile long lastSuccessNanos = System.nanoTime();
  private volatile boolean everBeat;
  private volatile long steadySinceNanos;
  private volatile @Nullable SetBack setBack;

  /** Only the loop's own thread looks. */
  private long workersSeenNanos = System.nanoTime();

  public NodeBeater(
      Database database, EngineClock clock, NodeStore.Node node, Terms terms, Observer observer) {
    this.database = database;
    this.clock = clock;
    this.node = node;
    this.terms = terms;
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
    Passenger aboard = passenger.getAndSet(NOBODY);
    NodeStore.Look look;
    try {
      look = beat(now, aboard);
    } catch (DatabaseException failure) {
      if (aboard.equals(NOBODY) || failure.isTransient()) {
        throw failure;
      }
      // Whoever was taken along may be the cause, and the others must hear that this server lives.
      look = beat(now, NOBODY);
    }
    noteSuccess();
    if (database.isFull()) {
      lookForRoom();
    }
    observer.saw(look, steadyFor());
  }

  private NodeStore.Look beat(Instant now, Passenger aboard) {
    NodeStore.Moments moments =
        new NodeStore.Moments(
            LeaseSweeper.expiredBefore(now),
            now.minus(MEMORY),
            now.minus(terms.deadAfter()),
            workersSilentSince(now));
    long sentNanos = System.nanoTime();
    NodeStore.Look look =
        database.inTransaction(tx -> {
          NodeStore.Look seen = store.beat(tx, node, moments, now);
          aboard.read(tx);
          return seen;
        });
    clock
        .sample(look.databaseTime(), Duration.ofNanos(System.nanoTime() - sentNanos))
        .ifPresent(this::noteSetBack);
    return look;
  }

  /** Not with every beat, because it is about every worker and every run that one holds. */
  private @Nullable Instant workersSilentSince(Instant now) {
    long nanos = System.nanoTime();
    if (nanos - workersSeenNanos < terms.workerLook().toNanos()) {
      return null;
    }
    workersSeenNanos = nanos;
    return now.minus(terms.workerStale());
  }

  /**
   * Takes somebody along in the transaction of the next beat.
   *
   * @param begin has that beat begin
   * @return false if there is none to be had now
   */
  public boolean takeAlong(Passenger next, BooleanSupplier begin) {
    passenger.set(next);
    // If it has not begun now, it may have begun by itself.
    return begin.getAsBoolean() || !passenger.compareAndSet(next, NOBODY);
  }

  /** How long ago the last beat went through, or this server was started. */
  public Duration sinceBeat() {
    return Duration.ofNanos(System.nanoTime() - lastSuccessNanos);
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
    if (!everBeat || nanos - lastSuccessNanos > terms.deadAfter().toNanos() / 2) {
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
