package dev.kagzi.cli;

import dev.kagzi.bench.BenchOptions;
import dev.kagzi.bench.system.SystemName;
import dev.kagzi.bench.workload.WorkloadName;
import dev.kagzi.server.config.Suggestion;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** What the flags of {@link BenchCommand} say, before anybody has looked whether it makes sense. */
record BenchRequest(
    List<String> only,
    List<String> systems,
    boolean peers,
    int seconds,
    int rounds,
    boolean json,
    @Nullable String address) {
  private static final int MOST_SECONDS = 3600;
  private static final int MOST_ROUNDS = 100;

  /** What is to be measured; throws what the command line is refused with if it makes no sense. */
  BenchOptions read(CommandSpec spec) {
    var refuse = new Refusal(spec);
    refuse.unlessBetween("--seconds", seconds, MOST_SECONDS);
    refuse.unlessBetween("--rounds", rounds, MOST_ROUNDS);
    var workloads = workloads(refuse);
    if (address != null) {
      refuse.unlessMeasurableFromOutside(address, workloads, peers || !systems.isEmpty());
    }
    return new BenchOptions(workloads, chosen(refuse), seconds, rounds, json, address);
  }

  private List<WorkloadName> workloads(Refusal refuse) {
    if (only.isEmpty()) {
      return Arrays.stream(WorkloadName.values())
          .filter(WorkloadName::isUsual)
          .filter(name -> address == null || !name.needsOwnSystems())
          .toList();
    }
    return refuse.unlessKnown("--only", only, WorkloadName.keys(), WorkloadName::of);
  }

  private List<SystemName> chosen(Refusal refuse) {
    if (!systems.isEmpty()) {
      return refuse.unlessKnown("--systems", systems, SystemName.keys(), SystemName::of);
    }
    if (address != null) {
      return List.of(SystemName.REMOTE);
    }
    return Arrays.stream(SystemName.values()).filter(name -> peers || name.isKagzi()).toList();
  }

  /** Says no, as the command line says it. */
  private record Refusal(CommandSpec spec) {

    private ParameterException because(String reason) {
      return new ParameterException(spec.commandLine(), reason);
    }

    void unlessBetween(String flag, int value, int most) {
      if (value < 1 || value > most) {
        throw because("%s: %d (expected: 1 to %d)".formatted(flag, value, most));
      }
    }

    <T> List<T> unlessKnown(
        String flag, List<String> words, List<String> known, Function<String, Optional<T>> find) {
      return words.stream()
          .map(word -> find.apply(word).orElseThrow(() -> because(unknown(flag, word, known))))
          .distinct()
          .toList();
    }

    private static String unknown(String flag, String word, List<String> known) {
      var near = Suggestion.nearest(word, known).map(", did you mean '%s'?"::formatted).orElse("");
      return "%s: unknown name '%s'%s (expected: %s)"
          .formatted(flag, word, near, String.join(", ", known));
    }

    void unlessMeasurableFromOutside(
        String address, List<WorkloadName> workloads, boolean othersToo) {
      if (othersToo) {
        throw because("--address measures that server alone; leave out --peers and --systems");
      }
      workloads.stream()
          .filter(WorkloadName::needsOwnSystems)
          .findFirst()
          .ifPresent(name -> {
            throw because(
                "%s fills or floods a database of its own, so it cannot be measured at %s"
                    .formatted(name.key(), address));
          });
    }
  }
}
