package dev.kagzi.engine.mutation;

import java.util.Set;
import java.util.stream.Stream;

/** All mutants, by the promise that their mechanisms keep. */
final class Mutants {

  /** Those whose mechanism another mutant comes close to; they would make every build longer. */
  private static final Set<String> LEFT_FOR_SOAKS =
      Set.of(
          "beat-after-commit",
          "compare-and-move",
          "written-by-epoch",
          "late-announcement",
          "interrupted-attempt",
          "lease-owner",
          "lease-not-shortened",
          "offline-worker",
          "claim-version",
          "request-id-in-history",
          "external-id-unique",
          "reuse-look-after-insert",
          "start-again",
          "repeated-result",
          "claim-id",
          "event-key",
          "beat-id",
          "retry-expected",
          "child-of-step",
          "tick-and-run-together",
          "watermark",
          "timer-settled",
          "earliest-timer",
          "event-wakes",
          "child-second-look",
          "namespace-get",
          "namespace-repeat",
          "namespace-external-id",
          "namespace-reuse",
          "namespace-request-id",
          "namespace-event",
          "namespace-retry",
          "page-token-namespace",
          "plain-namespace",
          "plain-lock-order",
          "plain-end-of-child",
          "plain-end-with-wait",
          "plain-end-with-step");

  private Mutants() {}

  static Stream<Mutant> all() {
    return Stream.of(
            ResultMutants.all(),
            FenceMutants.all(),
            PlainMutants.all(),
            RepeatMutants.all(),
            TimeMutants.all(),
            NamespaceMutants.all())
        .flatMap(some -> some);
  }

  static Stream<Mutant> ofEveryBuild() {
    return all().filter(mutant -> !LEFT_FOR_SOAKS.contains(mutant.id()));
  }

  static Stream<Mutant> ofSoaks() {
    return all().filter(mutant -> LEFT_FOR_SOAKS.contains(mutant.id()));
  }
}
