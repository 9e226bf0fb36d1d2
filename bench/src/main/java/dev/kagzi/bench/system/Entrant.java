package dev.kagzi.bench.system;

import dev.kagzi.bench.driver.Ability;
import dev.kagzi.bench.driver.Reply;
import java.time.Duration;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One running system with the driver that puts load on it. Not thread-safe. */
public final class Entrant implements AutoCloseable {
  private static final Duration FIRST_ANSWER = Duration.ofMinutes(2);

  /** The part that is PostgreSQL with all its sessions. */
  public static final String POSTGRES = "postgres";

  /** The part that starts workflows; in systems of one process it is the application. */
  public static final String DRIVER = "driver";

  public static final String SERVER = "server";
  public static final String WORKER = "worker";

  private final SystemName name;
  private final ChildProcess driver;
  private final Map<String, Long> parts;
  private final @Nullable PostgresProbe probe;
  private final Deque<AutoCloseable> made;
  private Set<Ability> abilities = Set.of();

  /**
   * A system.
   *
   * @param parts the processes it consists of beside its driver
   * @param made what it is made of, to be closed from the front
   */
  Entrant(
      SystemName name,
      ChildProcess driver,
      Map<String, Long> parts,
      @Nullable PostgresProbe probe,
      Deque<AutoCloseable> made) {
    this.name = name;
    this.driver = driver;
    this.parts = new LinkedHashMap<>(parts);
    this.parts.put(DRIVER, driver.pid());
    this.probe = probe;
    this.made = made;
  }

  /** Returns when its driver listens. */
  Entrant awaitReady() throws InterruptedException {
    var unused = driver.await(Reply::parse, FIRST_ANSWER);
    var figures = ask("abilities", FIRST_ANSWER).figures();
    abilities =
        Stream.of(Ability.values())
            .filter(ability -> figures.containsKey(ability.name()))
            .collect(Collectors.toUnmodifiableSet());
    return this;
  }

  public SystemName name() {
    return name;
  }

  public boolean can(Ability ability) {
    return abilities.contains(ability);
  }

  /** What asks its PostgreSQL; nothing where it has none, or where it is not ours. */
  public Optional<PostgresProbe> probe() {
    return Optional.ofNullable(probe);
  }

  /**
   * Has its driver do something.
   *
   * @throws BenchFailedException if that failed or took longer than the limit
   */
  public Reply ask(String command, Duration limit) throws InterruptedException {
    driver.tell(command);
    var reply = driver.await(Reply::parse, limit);
    if (!reply.ok()) {
      throw new BenchFailedException("%s: %s".formatted(name.key(), reply.message()));
    }
    return reply;
  }

  /** The processor time it has used until now, which costs its PostgreSQL nothing to tell. */
  public double cpuMillis() {
    return usageOfProcessors().values().stream().mapToDouble(Double::doubleValue).sum();
  }

  private Map<String, Double> usageOfProcessors() {
    var cpu = new LinkedHashMap<String, Double>();
    if (ProcessFigures.isKnown()) {
      parts.forEach((part, pid) -> cpu.put(part, cpuMillis(part, pid)));
    }
    return cpu;
  }

  /** What it has used until now. */
  public Usage usage() {
    var database = new LinkedHashMap<String, Double>();
    note(database, Usage.WAL_BYTES, PostgresProbe::walBytes);
    note(database, Usage.TRANSACTIONS, PostgresProbe::transactions);
    note(database, Usage.WRITING_TRANSACTIONS, PostgresProbe::writingTransactions);
    return new Usage(usageOfProcessors(), database);
  }

  private static double cpuMillis(String part, long pid) {
    return part.equals(POSTGRES)
        ? ProcessFigures.cpuMillisWithChildren(pid)
        : ProcessFigures.cpuMillis(pid);
  }

  private void note(
      Map<String, Double> figures, String figure, ToDoubleFunction<PostgresProbe> ask) {
    if (probe != null) {
      figures.put(figure, ask.applyAsDouble(probe));
    }
  }

  /** The parts that are processes of their own, but for PostgreSQL, whose memory is shared. */
  public Set<String> partsWithMemory() {
    return parts.keySet().stream()
        .filter(part -> !part.equals(POSTGRES))
        .collect(Collectors.toCollection(java.util.LinkedHashSet::new));
  }

  /** The process of a part; empty if it has no such part. */
  public Optional<Long> pid(String part) {
    return Optional.ofNullable(parts.get(part));
  }

  /** Whether one of its processes has ended before its time or found no more memory. */
  public boolean hasRunOutOfMemory() {
    return made.stream()
        .filter(ChildProcess.class::isInstance)
        .map(ChildProcess.class::cast)
        .anyMatch(child ->
            !child.isAlive() || child.logText().contains(OutOfMemoryError.class.getName()));
  }

  /** The memory of a part, in megabytes. */
  public OptionalDouble residentMegabytes(String part) {
    var pid = parts.get(part);
    return pid == null ? OptionalDouble.empty() : ProcessFigures.residentMegabytes(pid);
  }

  /** Ends all its processes. */
  @Override
  public void close() {
    for (var next = made.poll(); next != null; next = made.poll()) {
      try {
        next.close();
      } catch (Exception e) {
        throw new BenchFailedException(name.key() + " could not be ended: " + e.getMessage(), e);
      }
    }
  }
}
