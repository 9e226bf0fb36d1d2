package dev.kagzi.engine.model;

import dev.kagzi.engine.domain.OverlapPolicy;
import dev.kagzi.engine.domain.RunStatus;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** All that exists in a history, by the names that its operations use. */
final class World {

  /** A life of a worker's process. */
  static final class Worker {
    final String label;
    final String namespace;
    final String queue;
    final List<String> types;
    String status = "ONLINE";
    Instant lastBeat;

    Worker(String label, String namespace, String queue, List<String> types, Instant now) {
      this.label = label;
      this.namespace = namespace;
      this.queue = queue;
      this.types = types;
      this.lastBeat = now;
    }

    boolean isOffline() {
      return status.equals("OFFLINE");
    }
  }

  /** A process that works, and what it believes to hold: it is not told when it loses a run. */
  static final class WorkerProcess {
    final Map<String, Integer> epochs = new TreeMap<>();
    int lives;
    @Nullable Worker worker;
  }

  /** What a type's first registration has decided. */
  record KnownType(String defaultVersion, String homeQueue) {}

  /** A schedule. */
  static final class Schedule {
    final String label;
    final String namespace;
    final int minutes;
    final int maxCatchup;
    final OverlapPolicy overlap;
    final Map<Instant, String> firings = new TreeMap<>();
    boolean paused;
    Instant firedUpTo;

    Schedule(Op.NewSchedule asked, Instant now) {
      this.label = asked.tag();
      this.namespace = asked.namespace();
      this.minutes = asked.minutes();
      this.maxCatchup = asked.maxCatchup();
      this.overlap = asked.overlap();
      this.firedUpTo = now;
    }
  }

  final Map<String, ModelRun> runs = new LinkedHashMap<>();
  final Set<String> everRun = new TreeSet<>();
  final Map<String, WorkerProcess> processes = new TreeMap<>();
  final Map<String, Worker> workers = new TreeMap<>();
  final Map<String, Map<String, KnownType>> types = new HashMap<>();
  final Map<String, Schedule> schedules = new TreeMap<>();
  final Set<String> everSchedule = new TreeSet<>();
  final Set<String> endedParents = new TreeSet<>();
  private int born;

  WorkerProcess process(String name) {
    return processes.computeIfAbsent(name, missing -> new WorkerProcess());
  }

  int nextBorn() {
    return ++born;
  }

  void add(ModelRun run) {
    runs.put(run.label, run);
    everRun.add(run.label);
  }

  Map<String, KnownType> typesOf(String namespace) {
    return types.computeIfAbsent(namespace, missing -> new TreeMap<>());
  }

  /** The run, if it has not been deleted and belongs to the namespace. */
  @Nullable ModelRun run(String label, String namespace) {
    ModelRun run = runs.get(label);
    return run != null && run.namespace.equals(namespace) ? run : null;
  }

  Stream<ModelRun> live() {
    return List.copyOf(runs.values()).stream().filter(ModelRun::isLive);
  }

  Optional<ModelRun> liveWith(String namespace, @Nullable String externalId) {
    return live()
        .filter(run -> run.externalId != null && run.externalId.equals(externalId))
        .filter(run -> run.namespace.equals(namespace))
        .findFirst();
  }

  Optional<ModelRun> lastEndedWith(String namespace, @Nullable String externalId) {
    return runs.values().stream()
        .filter(run -> !run.isLive())
        .filter(run -> run.externalId != null && run.externalId.equals(externalId))
        .filter(run -> run.namespace.equals(namespace))
        .max(Comparator.comparingInt(run -> run.born));
  }

  List<ModelRun> heldBy(Worker worker) {
    return live()
        .filter(run -> run.status == RunStatus.RUNNING && worker.label.equals(run.worker))
        .toList();
  }
}
