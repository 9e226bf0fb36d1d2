package dev.kagzi.e2e.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.sdk.replay.Divergence;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Histories that were exported once stay replayable, and no change of them goes unnoticed. */
class RecordedHistoriesTest {

  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  @ParameterizedTest
  @EnumSource(Recorded.class)
  void theCodeMatchesWhatWasExported(Recorded recorded) {
    recorded.replayer().check(recorded.history());
  }

  @Test
  void everyStepThatIsRenamedIsNamed() {
    assertThat(mutants((step, history) -> step.put("key", step.path("key").asString("") + "-2")))
        .hasSizeGreaterThan(30)
        .allSatisfy(RecordedHistoriesTest::namesTheStep);
  }

  @Test
  void everyStepThatIsDroppedIsNamed() {
    assertThat(
            mutants((step, history) -> {
              for (int i = 0; i < history.size(); i++) {
                if (history.get(i).equals(step)) {
                  history.remove(i);
                }
              }
            }))
        .hasSizeGreaterThan(30)
        .allSatisfy(RecordedHistoriesTest::namesTheStep);
  }

  @Test
  void everyStepOfAnotherKindIsNamed() {
    List<Mutant> mutants =
        mutants((step, history) ->
            step.put("kind", step.path("kind").asString("").equals("SLEEP") ? "EVENT" : "SLEEP"));

    assertThat(mutants)
        .hasSizeGreaterThan(30)
        .allSatisfy(mutant -> {
          namesTheStep(mutant);
          assertThat(mutant.found().orElseThrow().kind()).isEqualTo(Divergence.Kind.OTHER_KIND);
        });
  }

  /** But that of a fan-out, whose results no history holds. */
  @Test
  void everyOtherResultIsNoticed() {
    List<Optional<Divergence>> found = new ArrayList<>();
    for (Recorded recorded : Recorded.values()) {
      ObjectNode file = (ObjectNode) MAPPER.readTree(recorded.history());
      if (file.path("outcome").has("output") && recorded != Recorded.CHILD_MAP) {
        ((ObjectNode) file.path("outcome").path("output")).put("json", "\"another\"");
        found.add(recorded.replayer().replay(file.toString()).divergence());
      }
    }

    assertThat(found)
        .hasSizeGreaterThan(8)
        .allSatisfy(divergence ->
            assertThat(divergence.orElseThrow().kind()).isEqualTo(Divergence.Kind.OTHER_OUTCOME));
  }

  private record Mutant(Recorded recorded, String step, Optional<Divergence> found) {}

  @FunctionalInterface
  private interface Mutation {
    void change(ObjectNode step, ArrayNode history);
  }

  private static void namesTheStep(Mutant mutant) {
    assertThat(mutant.found()).isPresent();
    assertThat(mutant.found().orElseThrow().message()).contains("'" + mutant.step() + "'");
  }

  /** Every history once for each of its steps; code may stop asking for markers of patches. */
  private static List<Mutant> mutants(Mutation mutation) {
    List<Mutant> mutants = new ArrayList<>();
    for (Recorded recorded : Recorded.values()) {
      int steps = MAPPER.readTree(recorded.history()).path("history").size();
      for (int i = 0; i < steps; i++) {
        ObjectNode file = (ObjectNode) MAPPER.readTree(recorded.history());
        ArrayNode history = (ArrayNode) file.path("history");
        ObjectNode step = (ObjectNode) history.get(i);
        String key = step.path("key").asString("");
        if (!key.startsWith("patched:")) {
          mutation.change(step, history);
          mutants.add(
              new Mutant(recorded, key, recorded.replayer().replay(file.toString()).divergence()));
        }
      }
    }
    return mutants;
  }
}
