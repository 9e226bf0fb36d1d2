package dev.kagzi.e2e.chaos;

import static org.awaitility.Awaitility.await;

import dev.kagzi.faults.TcpProxy;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Harms a cluster every few seconds, as a seed says, and starts what it killed a little later.
 * Faults lie over each other, but one server is left alone while the other is down.
 */
final class Adversary implements AutoCloseable {

  /**
   * A fault that happened.
   *
   * @param atNanos when, as {@link System#nanoTime} has it
   * @param endedNanos when it was over
   * @param wellNanos when what it hit was of use again: who was killed has to start first
   */
  record Hit(Fault fault, String target, long atNanos, long endedNanos, long wellNanos) {

    /** Whether something was wrong because of it at any time between two. */
    boolean isFeltWithin(long fromNanos, long toNanos) {
      return atNanos < toNanos && wellNanos > fromNanos;
    }
  }

  /**
   * How quickly faults follow each other and which there are.
   *
   * @param lull how long nothing new is done after every second return of PostgreSQL, so that it
   *     can be told what the return alone has cost
   * @param spared whose processes are not ended any more after half of the time, so that it can be
   *     told whether they take ever more memory
   */
  record Pace(
      Duration least, Duration most, List<Fault> extra, Duration lull, Set<String> spared) {}

  private static final long WATCH_MILLIS = 250;
  private static final int LONGEST_START_SECONDS = 60;

  /** How a process ends that was asked to: by itself, or by the signal when all is done. */
  private static final Set<Integer> ORDERLY = Set.of(0, 128 + 15);

  private final Cluster cluster;
  private final Pace pace;
  private final Random random;
  private final Fault.Deck deck;
  private final ScheduledExecutorService clock = Executors.newScheduledThreadPool(2);
  private final ExecutorService hands = Executors.newVirtualThreadPerTaskExecutor();
  private final Set<String> harmed = ConcurrentHashMap.newKeySet();
  private final Queue<Hit> hits = new ConcurrentLinkedQueue<>();
  private final Queue<String> mishaps = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean over = new AtomicBoolean();
  private final AtomicBoolean rolling = new AtomicBoolean();
  private final AtomicInteger returns = new AtomicInteger();
  private final AtomicInteger underWay = new AtomicInteger();
  private final long spareFrom;
  private volatile long quietUntil = System.nanoTime();
  private volatile long lastWell = System.nanoTime();

  /** Begins at once. */
  Adversary(Cluster cluster, long seed, Pace pace, Duration length) {
    this.cluster = cluster;
    this.spareFrom = System.nanoTime() + length.toNanos() / 2;
    this.pace = pace;
    this.random = new Random(seed);
    this.deck = new Fault.Deck(random, pace.extra());
    var unused =
        clock.scheduleWithFixedDelay(
            this::revive, WATCH_MILLIS, WATCH_MILLIS, TimeUnit.MILLISECONDS);
    scheduleNext();
  }

  private void scheduleNext() {
    var unused =
        clock.schedule(
            this::strike,
            random.nextLong(pace.least().toMillis(), pace.most().toMillis()),
            TimeUnit.MILLISECONDS);
  }

  /** One thread only decides, so that a seed always decides the same. */
  private void strike() {
    if (over.get()) {
      return;
    }
    if (quietUntil - System.nanoTime() > 0) {
      // Decided later and not differently: nothing is drawn here.
      var unused = clock.schedule(this::strike, WATCH_MILLIS, TimeUnit.MILLISECONDS);
      return;
    }
    Fault fault = deck.draw();
    int choice = random.nextInt(1 << 16);
    int millis = random.nextInt(Cluster.LEASE_SECONDS * 500, Cluster.LEASE_SECONDS * 3000);
    hands.execute(() -> harm(fault, choice, millis));
    scheduleNext();
  }

  private void harm(Fault fault, int choice, int millis) {
    long began = System.nanoTime();
    underWay.incrementAndGet();
    try {
      String target =
          switch (fault) {
            case KILL_WORKER -> kill(pick(mortal(cluster.workers()), choice), millis / 4);
            case KILL_SERVER -> kill(pick(mortal(cluster.servers()), choice), millis / 4);
            case PAUSE_WORKER -> pause(pick(cluster.workers(), choice), millis);
            case PAUSE_SERVER -> pause(pick(cluster.servers(), choice), millis);
            case TERMINATE -> terminateAll();
            case CUT_LINK -> breakLink(choice, millis / 2, TcpProxy::cut);
            case SILENCE_LINK -> breakLink(choice, millis, TcpProxy::blackHole);
            case DELAY_LINK ->
                breakLink(choice, millis, link -> link.delay(Duration.ofMillis(choice % 300)));
            case KILL_BACKENDS -> killBackends();
            case KILL_POSTGRES -> killPostgres(millis / 4);
            case PAUSE_POSTGRES -> pausePostgres(millis);
          };
      if (!target.isEmpty()) {
        long ended = System.nanoTime();
        awaitReady(target);
        hits.add(new Hit(fault, target, began, ended, System.nanoTime()));
      }
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      mishaps.add(fault + ": " + e);
    } finally {
      lastWell = System.nanoTime();
      underWay.decrementAndGet();
    }
  }

  /** Whether everything has been well for so long. */
  boolean isCalm(Duration since) {
    return underWay.get() == 0 && System.nanoTime() - lastWell >= since.toNanos();
  }

  /**
   * Returns when the processes that are meant by these names serve again: one that met a database
   * that was away ends by itself, and is started anew.
   */
  private void awaitReady(String names) {
    List<String> hit = List.of(names.split(" ", -1));
    await()
        .atMost(LONGEST_START_SECONDS, TimeUnit.SECONDS)
        .until(() ->
            cluster.children().stream()
                .filter(child -> hit.contains(child.name()))
                .allMatch(Child::isReady));
  }

  /** Those of them that may be ended. */
  private List<Child> mortal(List<Child> children) {
    return System.nanoTime() - spareFrom < 0
        ? children
        : children.stream().filter(child -> !pace.spared().contains(child.name())).toList();
  }

  /** The child that is meant, or the next one that may be harmed; none if there is none. */
  private List<Child> pick(List<Child> children, int choice) {
    boolean servers = cluster.servers().containsAll(children);
    synchronized (harmed) {
      if (servers && cluster.servers().stream().anyMatch(child -> isDown(child))) {
        return List.of();
      }
      for (int place = 0; place < children.size(); place++) {
        Child child = children.get((choice + place) % children.size());
        if (!isDown(child) && harmed.add(child.name())) {
          return List.of(child);
        }
      }
      return List.of();
    }
  }

  private boolean isDown(Child child) {
    return harmed.contains(child.name()) || !child.isAlive() || !child.isReady();
  }

  private String kill(List<Child> victims, int downMillis) throws Exception {
    for (Child victim : victims) {
      try {
        victim.kill();
        TimeUnit.MILLISECONDS.sleep(downMillis);
        victim.startAgain();
      } finally {
        harmed.remove(victim.name());
      }
    }
    return names(victims);
  }

  private String pause(List<Child> victims, int millis) throws Exception {
    for (Child victim : victims) {
      try {
        victim.signal("STOP");
        TimeUnit.MILLISECONDS.sleep(millis);
      } finally {
        victim.signal("CONT");
        harmed.remove(victim.name());
      }
    }
    return names(victims);
  }

  private static String names(List<Child> victims) {
    return String.join(" ", victims.stream().map(Child::name).toList());
  }

  /** A rolling restart, as a deploy does it: one process after the other. */
  private String terminateAll() throws Exception {
    var restarted = new ArrayList<Child>();
    for (Child child : mortal(cluster.children())) {
      for (Child victim : over.get() ? List.<Child>of() : pick(List.of(child), 0)) {
        terminate(victim);
        rolling.set(true);
        restarted.add(victim);
      }
    }
    return names(restarted);
  }

  private void terminate(Child victim) throws Exception {
    try {
      victim.signal("TERM");
      int code = victim.awaitEnd(LONGEST_START_SECONDS);
      if (!ORDERLY.contains(code)) {
        mishaps.add("%s was asked to end and did so with %d".formatted(victim.name(), code));
      }
      victim.startAgain();
    } finally {
      harmed.remove(victim.name());
    }
    awaitReady(victim.name());
  }

  private interface Harm {
    void to(TcpProxy link);
  }

  private String breakLink(int choice, int millis, Harm harm) throws InterruptedException {
    var all = new ArrayList<>(new TreeMap<>(cluster.links()).entrySet());
    String name = all.get(choice % all.size()).getKey();
    TcpProxy link = all.get(choice % all.size()).getValue();
    if (!harmed.add(name)) {
      return "";
    }
    try {
      harm.to(link);
      TimeUnit.MILLISECONDS.sleep(millis);
    } finally {
      link.pass();
      harmed.remove(name);
    }
    return name;
  }

  private String killBackends() throws SQLException {
    if (harmed.contains("postgres")) {
      return "";
    }
    try (var connection = DriverManager.getConnection(cluster.database());
        var rows =
            connection
                .createStatement()
                .executeQuery(
                    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                        + " WHERE datname = 'kagzi' AND pid <> pg_backend_pid()")) {
      rows.next();
      int killed = rows.getInt(1);
      return killed == 0 ? "" : killed + " backends";
    }
  }

  private String killPostgres(int downMillis) throws InterruptedException {
    if (!harmed.add("postgres")) {
      return "";
    }
    try {
      cluster.postgres().kill();
      TimeUnit.MILLISECONDS.sleep(downMillis);
      cluster.postgres().restart();
      if (returns.incrementAndGet() % 2 == 0) {
        quietUntil = System.nanoTime() + pace.lull().toNanos();
      }
    } finally {
      harmed.remove("postgres");
    }
    return "postgres";
  }

  /** Stops the server and all its backends for a while, as a host that stands still does. */
  private String pausePostgres(int millis) throws Exception {
    if (!harmed.add("postgres")) {
      return "";
    }
    try {
      signalPostgres("STOP");
      TimeUnit.MILLISECONDS.sleep(millis);
    } finally {
      signalPostgres("CONT");
      harmed.remove("postgres");
    }
    return "postgres";
  }

  /** The server first, so that it makes no backend that is left out. */
  private void signalPostgres(String signal) throws Exception {
    var server = ProcessHandle.of(cluster.postgres().pid()).orElseThrow();
    Child.signal(signal, server.pid());
    for (ProcessHandle backend : server.descendants().toList()) {
      Child.signal(signal, backend.pid());
    }
  }

  /**
   * What a service manager does: who has ended without our doing is started again. Only who has not
   * come to serve may do so: the database may be away then.
   */
  private void revive() {
    for (Child child : cluster.children()) {
      try {
        if (!child.isAlive() && !harmed.contains(child.name()) && !over.get()) {
          if (child.isReady()) {
            mishaps.add(child.name() + " has ended by itself, see " + child.logName());
          }
          child.startAgain();
        }
      } catch (Exception e) {
        mishaps.add(child.name() + " cannot be started: " + e);
      }
    }
  }

  /** What is missing until there were so many faults, and each kind at least once. */
  Set<Object> missing(int least) {
    var missing = new HashSet<Object>(List.of(Fault.values()));
    hits.forEach(hit -> missing.remove(hit.fault()));
    if (rolling.get()) {
      // It takes long, and is ended with all else.
      missing.remove(Fault.TERMINATE);
    }
    if (hits.size() < least) {
      missing.add((least - hits.size()) + " more");
    }
    return missing;
  }

  /** What has happened, in the order of its end. */
  List<Hit> hits() {
    return List.copyOf(hits);
  }

  /** What went wrong with the harming itself, or ended by itself. */
  List<String> mishaps() {
    return List.copyOf(mishaps);
  }

  /** Harms nothing more, and returns when everything is as it was. */
  void relent() throws Exception {
    over.set(true);
    clock.shutdown();
    hands.shutdown();
    hands.awaitTermination(2 * LONGEST_START_SECONDS, TimeUnit.SECONDS);
    cluster.heal();
    lastWell = System.nanoTime();
  }

  @Override
  public void close() {
    over.set(true);
    clock.shutdownNow();
    hands.shutdownNow();
  }
}
