package dev.kagzi.engine.model;

import static org.assertj.core.api.Assertions.fail;

import dev.kagzi.engine.model.History.Disagreement;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two clients, three workers and the loops of the engine do at random what they may do, one after
 * the other, and the engine on real PostgreSQL must say and become what the rules say.
 */
@Order(1)
class ModelTest {

  private static final int OPERATIONS = 200;
  private static final int IN_A_PART = 25;
  private static final int IN_A_SOAK = Integer.getInteger("kagzi.model.histories", 5000);

  /** Virtual time only goes on; a fresh database keeps the number of days small. */
  private static final int PER_DATABASE = 500;

  @ParameterizedTest
  @ValueSource(ints = {0, IN_A_PART, 2 * IN_A_PART, 3 * IN_A_PART})
  @Execution(ExecutionMode.CONCURRENT)
  void theEngineAgreesWithTheModelAboutAHundredHistories(int first) {
    play(Long.getLong("kagzi.model.seed", 1) + first, IN_A_PART);
  }

  @Test
  @Tag("soak")
  void theEngineAgreesWithTheModelAboutThousandsOfHistories() {
    play(Long.getLong("kagzi.model.seed", System.nanoTime()), IN_A_SOAK);
  }

  private static void play(long firstSeed, int histories) {
    System.out.printf("model: seeds %d and the following %d%n", firstSeed, histories - 1);
    long begun = System.nanoTime();
    Map<String, Integer> answers = new TreeMap<>();
    for (int first = 0; first < histories; first += PER_DATABASE) {
      int last = Math.min(histories, first + PER_DATABASE);
      try (Duel duel = new Duel()) {
        for (int i = first; i < last; i++) {
          play(new History(duel), firstSeed + i);
        }
        duel.answers().forEach((answer, times) -> answers.merge(answer, times, Integer::sum));
      }
    }
    System.out.printf(
        "model: %d histories of %d operations agreed in %.1f s%n%s%n",
        histories, OPERATIONS, (System.nanoTime() - begun) / 1e9, answers);
  }

  private static void play(History history, long seed) {
    Optional<Disagreement> found = history.play(seed, OPERATIONS);
    if (found.isPresent()) {
      Disagreement shortest = history.shrink(found.get());
      fail(
          "seed %d: the engine and the model disagree after %d of %d operations:%s",
          seed, shortest.ops().size(), found.get().ops().size(), shortest);
    }
  }
}
