package dev.kagzi.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SuggestionTest {
  private static final List<String> KNOWN = List.of("grpc.port", "http.port", "database.pool_size");

  @ParameterizedTest
  @CsvSource({
    "grpc.prot, grpc.port",
    "grcp.port, grpc.port",
    "htp.port, http.port",
    "database.poolsize, database.pool_size",
    "pool_size, database.pool_size",
  })
  void findsTheNearestName(String word, String nearest) {
    assertThat(Suggestion.nearest(word, KNOWN)).contains(nearest);
  }

  @Test
  void makesNoSuggestionForAnotherWord() {
    assertThat(Suggestion.nearest("colour", KNOWN)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"'', abc, 3", "abc, abc, 0", "abc, acb, 1", "abc, ab, 1", "kitten, sitting, 3"})
  void countsInsertionsDeletionsReplacementsAndSwaps(String a, String b, int distance) {
    assertThat(Suggestion.distance(a, b)).isEqualTo(distance);
    assertThat(Suggestion.distance(b, a)).isEqualTo(distance);
  }
}
