package dev.kagzi.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.InstantSource;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class TimeOrderedIdsTest {

  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

  @Test
  void carriesTheMomentItWasMintedAt() {
    UUID id = new TimeOrderedIds(InstantSource.fixed(NOON)).next();

    assertThat(TimeOrderedIds.isTimeOrdered(id)).isTrue();
    assertThat(TimeOrderedIds.mintedAt(id)).isEqualTo(NOON);
  }

  @Test
  void growsWithinOneMillisecondAndWhenTheClockStepsBack() {
    var now = new AtomicReference<>(NOON);
    var ids = new TimeOrderedIds(now::get);

    UUID last = ids.next();
    for (int i = 0; i < 20_000; i++) {
      if (i == 10_000) {
        now.set(NOON.minusSeconds(5));
      }
      UUID next = ids.next();
      assertThat(next.toString()).isGreaterThan(last.toString());
      last = next;
    }
  }

  @Test
  void hasABorderBelowEveryIdOfAMoment() {
    UUID id = new TimeOrderedIds(InstantSource.fixed(NOON)).next();

    assertThat(TimeOrderedIds.floor(NOON).toString()).isLessThan(id.toString());
    assertThat(TimeOrderedIds.floor(NOON.plusMillis(1)).toString()).isGreaterThan(id.toString());
  }
}
