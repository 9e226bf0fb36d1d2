package dev.kagzi.engine.operation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.engine.domain.TypeVersion;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScanFloorsTest {

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final TypeVersion TYPE = new TypeVersion("process-order", "");
  private final ScanFloors floors = new ScanFloors();

  private Instant floorAt(Instant now) {
    return floors.scans(List.of(TYPE), now).get(0).floor();
  }

  @Test
  void beginAtTheBeginning() {
    assertThat(floorAt(NOW)).isEqualTo(Instant.EPOCH);
  }

  @Test
  void followTheOldestRunThatIsLeft() {
    floors.raise(TYPE, NOW.minusSeconds(60), NOW);

    assertThat(floorAt(NOW)).isEqualTo(NOW.minusSeconds(60));
  }

  @Test
  void stayFiveSecondsBehindWhenNothingIsLeft() {
    floors.raise(TYPE, null, NOW);

    assertThat(floorAt(NOW)).isEqualTo(NOW.minusSeconds(5));
  }

  @Test
  void stayFiveSecondsBehindAlsoWhenWhatIsLeftIsDueLater() {
    floors.raise(TYPE, NOW.plusSeconds(60), NOW);

    assertThat(floorAt(NOW)).isEqualTo(NOW.minusSeconds(5));
  }

  @Test
  void areForgottenAfterFiveSecondsHoweverOftenTheyMove() {
    for (int i = 0; i < 50; i++) {
      floors.raise(TYPE, null, NOW.plusMillis(100L * i));
    }

    assertThat(floorAt(NOW.plusMillis(4_999))).isAfter(NOW.minusSeconds(5));
    assertThat(floorAt(NOW.plusSeconds(5))).isEqualTo(Instant.EPOCH);
  }

  @Test
  void areEachTypesOwn() {
    floors.raise(TYPE, null, NOW);

    TypeVersion other = new TypeVersion("process-order", "2");
    assertThat(floors.scans(List.of(other), NOW).get(0).floor()).isEqualTo(Instant.EPOCH);
  }
}
