package dev.kagzi.e2e.chaos;

import static org.awaitility.Awaitility.await;

import dev.kagzi.e2e.chaos.Adversary.Hit;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.core.ConditionTimeoutException;

/** One run of the harness: start everything, harm it under load, let it settle, check. */
final class Chaos {

  /**
   * What to do.
   *
   * @param seed decides the programs and the faults
   * @param length how long faults go on
   * @param perSecond how many jobs the client starts in a second
   * @param leastFaults without which faults go on, at most twice as long
   * @param settle how long everything may take to end afterwards
   */
  record Plan(
      long seed,
      Duration length,
      int perSecond,
      Adversary.Pace pace,
      int leastFaults,
      Duration settle) {}

  /**
   * What was seen.
   *
   * @param violations broken invariants
   * @param unfinished runs that had not ended in time
   * @param logLines what must not be in a log
   * @param surprises what no client should see
   * @param runs how many runs ended
   * @param fenced how often a worker was told that a run is not its own any more
   * @param finished how many runs ended in each second
   * @param started when the load began
   * @param startedNanos the same, as {@link System#nanoTime} has it
   */
  record Outcome(
      Plan plan,
      List<Checker.Violation> violations,
      long unfinished,
      List<String> logLines,
      List<String> surprises,
      List<Hit> hits,
      List<String> mishaps,
      List<Customer.Ack> acks,
      Seen seen,
      long runs,
      long completed,
      long fenced,
      Throughput finished,
      Instant started,
      long startedNanos) {

    /** Everything that makes this run a failure whatever its length. */
    List<String> faults() {
      var faults = new ArrayList<String>();
      violations.forEach(violation -> faults.add(violation.toString()));
      logLines.forEach(line -> faults.add("in a log: " + line));
      surprises.forEach(surprise -> faults.add("the client saw: " + surprise));
      mishaps.forEach(mishap -> faults.add("unasked: " + mishap));
      faults.addAll(seen.tooLittleOf(plan.length()));
      if (unfinished > 0) {
        faults.add(unfinished + " runs have not ended within " + plan.settle());
      }
      return faults;
    }
  }

  /** The memory of a process at a time. */
  record Memory(String process, int life, long atNanos, long kilobytes) {}

  /**
   * What was looked at while it happened.
   *
   * @param looks at what must hold at every moment
   * @param peaceful looks at what must hold while nothing is wrong
   * @param ticks of schedules that were fired
   * @param waits how long their runs took, for equal parts of the time: the median, in seconds
   */
  record Seen(List<Memory> memory, int looks, int peaceful, long ticks, List<Double> waits) {
    private static final double LEAST_OF_TICKS = 0.9;

    /** What must have been seen for anything to mean something. */
    List<String> tooLittleOf(Duration length) {
      var missed = new ArrayList<String>();
      long expected = (long) (LEAST_OF_TICKS * SCHEDULES * length.toSeconds());
      if (ticks < expected) {
        missed.add("only %d ticks (expected: at least %d)".formatted(ticks, expected));
      }
      long enough = length.toSeconds() / LOOK_SECONDS / 2;
      if (looks < enough) {
        missed.add("only %d looks (expected: at least %d)".formatted(looks, enough));
      }
      if (peaceful == 0) {
        missed.add("nobody has looked at leases in peace");
      }
      return missed;
    }
  }

  /** In how many parts of the time it is asked how long runs of schedules took. */
  static final int PARTS = 6;

  /** What starts and warms up is not to be compared with. */
  static final Duration WARM = Duration.ofMinutes(1);

  /** A tick is late while everything comes back; after this none may be missing. */
  private static final Duration LATEST_TICK = Duration.ofSeconds(10);

  /** How long after a fault leases may still be left over: detection, sweep and some slack. */
  private static final Duration PEACE = Duration.ofSeconds(6);

  private static final int SCHEDULES = 3;
  private static final int MAX_CATCHUP = 10_000;
  private static final int RECOVERIES = 10_000;
  private static final long LOOK_SECONDS = 2;

  private final Plan plan;
  private final Path folder;
  private final Queue<Memory> memory = new ConcurrentLinkedQueue<>();
  private final Queue<Checker.Violation> early = new ConcurrentLinkedQueue<>();
  private final AtomicInteger looks = new AtomicInteger();
  private final AtomicInteger peaceful = new AtomicInteger();

  private Chaos(Plan plan, Path folder) {
    this.plan = plan;
    this.folder = folder;
  }

  /** Does all of it; the folder holds the database and the logs, and stays. */
  static Outcome run(Plan plan, Path folder) throws Exception {
    return new Chaos(plan, folder).run();
  }

  private Outcome run() throws Exception {
    say("seed %d: starting", plan.seed());
    try (var cluster = Cluster.start(folder)) {
      var evidence = new Evidence(cluster.database());
      evidence.begin(Cluster.LEASE_SECONDS, RECOVERIES);
      long startedNanos = System.nanoTime();
      say("seed %d: faults for %s", plan.seed(), plan.length());
      try (var customer = new Customer(cluster.clientAddress(), plan.seed(), plan.perSecond());
          var watch = Executors.newSingleThreadScheduledExecutor()) {
        List<String> schedules = createSchedules(customer);
        var adversary = harm(cluster, watch);
        say("seed %d: %d faults, settling", plan.seed(), adversary.hits().size());
        evidence.expectTicksUntil(Instant.now().minus(LATEST_TICK));
        pause(customer, schedules);
        customer.awaitAnswers(plan.settle());
        awaitPeacefulLook();
        long unfinished = settle(cluster.database());
        watch.shutdownNow();
        say("seed %d: %d unfinished, checking", plan.seed(), unfinished);
        evidence.collect(cluster.ledger(), customer.acks());
        return outcome(cluster, customer, adversary, unfinished, startedNanos);
      }
    }
  }

  private Adversary harm(Cluster cluster, ScheduledExecutorService watch) throws Exception {
    try (var adversary = new Adversary(cluster, plan.seed(), plan.pace(), plan.length())) {
      var unused =
          watch.scheduleWithFixedDelay(
              () -> look(cluster, adversary), LOOK_SECONDS, LOOK_SECONDS, TimeUnit.SECONDS);
      TimeUnit.MILLISECONDS.sleep(plan.length().toMillis());
      await()
          .atMost(plan.length())
          .until(() -> adversary.missing(plan.leastFaults()), Set::isEmpty);
      adversary.relent();
      return adversary;
    }
  }

  /** There is one soon after everything is well again, and one at least is to be seen. */
  private void awaitPeacefulLook() {
    int before = peaceful.get();
    await().atMost(plan.settle()).until(() -> peaceful.get() > before);
  }

  /** Three that fire every second. */
  static List<String> createSchedules(Customer customer) {
    var ids = new ArrayList<String>();
    for (int number = 0; number < SCHEDULES; number++) {
      String name = "chaos-" + number;
      ids.add(customer.insist(() -> createSchedule(customer, name)));
    }
    return ids;
  }

  /** Finds the one of this name if an earlier answer was lost. */
  private static String createSchedule(Customer customer, String name) {
    return customer
        .client()
        .schedules()
        .create(WorkerProgram.TICK, "* * * * * *")
        .name(name)
        .input(Job.CANARY)
        .queue(Interpreter.QUEUE)
        .maxCatchup(MAX_CATCHUP)
        .send()
        .id();
  }

  /** Stops them, so that what they fired can be counted. */
  static void pause(Customer customer, List<String> schedules) {
    for (String id : schedules) {
      customer.insist(() -> customer.client().schedules().pause(id, "counted"));
    }
  }

  /** What can be seen only while it happens. */
  private void look(Cluster cluster, Adversary adversary) {
    for (Child child : cluster.children()) {
      memory.add(
          new Memory(child.name(), child.lives(), System.nanoTime(), child.residentKilobytes()));
    }
    try {
      boolean calm = adversary.isCalm(PEACE);
      var checker = new Checker(cluster.database());
      early.addAll(checker.always());
      looks.incrementAndGet();
      if (calm) {
        early.addAll(checker.inPeace());
        peaceful.incrementAndGet();
      }
    } catch (SQLException harmed) {
      // There will be another look.
    }
  }

  private long settle(String database) throws SQLException {
    return settle(database, plan.settle());
  }

  /** Waits until every run has ended; returns how many have not. */
  static long settle(String database, Duration limit) throws SQLException {
    try {
      await().atMost(limit).until(() -> number(database, LIVE) == 0);
      return 0;
    } catch (ConditionTimeoutException e) {
      return number(database, LIVE);
    }
  }

  private static final String LIVE =
      "SELECT count(*) FROM kagzi.workflow_runs WHERE cron_expr IS NULL";

  private Outcome outcome(
      Cluster cluster, Customer customer, Adversary adversary, long unfinished, long startedNanos)
      throws SQLException, IOException {
    String database = cluster.database();
    var violations = new ArrayList<>(early);
    violations.addAll(new Checker(database).violations());
    return new Outcome(
        plan,
        violations,
        unfinished,
        LogScan.findings(folder),
        customer.surprises(),
        adversary.hits(),
        adversary.mishaps(),
        customer.acks(),
        seen(database, startedNanos),
        number(database, "SELECT count(*) FROM kagzi.finished_runs"),
        number(database, "SELECT count(*) FROM kagzi.finished_runs WHERE status = 'COMPLETED'"),
        LogScan.count(Cluster.logs(folder), "worker", "stops on this worker: "),
        Throughput.of(database),
        Instant.now().minusNanos(System.nanoTime() - startedNanos),
        startedNanos);
  }

  private Seen seen(String database, long startedNanos) throws SQLException {
    Instant started = Instant.now().minusNanos(System.nanoTime() - startedNanos);
    return new Seen(
        List.copyOf(memory),
        looks.get(),
        peaceful.get(),
        number(database, "SELECT count(*) FROM kagzi.schedule_firings WHERE outcome = 'FIRED'"),
        waits(database, started));
  }

  /** Shorter times than the time it takes to start are not divided. */
  private List<Double> waits(String database, Instant started) throws SQLException {
    var medians = new ArrayList<Double>();
    if (plan.length().compareTo(WARM.multipliedBy(2)) < 0) {
      return medians;
    }
    try (var connection = DriverManager.getConnection(database);
        var query = connection.prepareStatement(WAITS)) {
      query.setObject(1, started.plus(WARM).atOffset(ZoneOffset.UTC));
      query.setObject(2, started.plus(plan.length()).atOffset(ZoneOffset.UTC));
      query.setInt(3, PARTS);
      try (var rows = query.executeQuery()) {
        while (rows.next()) {
          medians.add(rows.getDouble(1));
        }
      }
    }
    return medians;
  }

  private static final String WAITS =
      """
      SELECT percentile_cont(0.5) WITHIN GROUP (
               ORDER BY extract(epoch FROM r.finished_at - r.created_at))
      FROM (SELECT ?::timestamptz AS first, ?::timestamptz AS last, ?::int AS parts) t
      CROSS JOIN generate_series(0, t.parts - 1) AS part
      JOIN kagzi.finished_runs r
        ON r.schedule_group_id IS NOT NULL
        AND r.created_at >= t.first + part * (t.last - t.first) / t.parts
        AND r.created_at < t.first + (part + 1) * (t.last - t.first) / t.parts
      GROUP BY part ORDER BY part
      """;

  static long number(String database, String query) throws SQLException {
    try (var connection = DriverManager.getConnection(database);
        var rows = connection.createStatement().executeQuery(query)) {
      rows.next();
      return rows.getLong(1);
    }
  }

  private static void say(String format, Object... values) {
    System.out.printf("chaos: " + format + "%n", values);
  }
}
