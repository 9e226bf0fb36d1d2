package dev.kagzi.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.cli.demo.Ledger.Entry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VerdictTest {
  private static final Instant NOW = Instant.parse("2026-01-02T03:04:05.678Z");
  private static final long KILLED = 11;
  private static final long SURVIVOR = 22;

  @Test
  void acceptsEachStepOnceInItsHalf(@TempDir Path folder) throws IOException {
    var ledger = new Ledger(folder.resolve("ledger"));
    for (var entry : asItShouldBe()) {
      ledger.append(entry);
    }

    var verdict = new Verdict(ledger.entries(), KILLED, SURVIVOR);

    assertThat(verdict.faults()).isEmpty();
    assertThat(verdict.table().lines()).hasSize(5).element(1).asString().contains("11");
  }

  @Test
  void objectsToAStepThatHappenedTwice() {
    var entries = new ArrayList<>(asItShouldBe());
    entries.add(entry("charge-card", SURVIVOR));

    assertThat(new Verdict(entries, KILLED, SURVIVOR).faults())
        .containsExactly("charge-card happened 2 times (expected: once)");
  }

  @Test
  void objectsToAnEmptyLedger(@TempDir Path folder) throws IOException {
    var entries = new Ledger(folder.resolve("ledger")).entries();

    assertThat(new Verdict(entries, KILLED, SURVIVOR).faults()).hasSize(4);
  }

  @Test
  void objectsToAStepInTheWrongProcess() {
    assertThat(new Verdict(asItShouldBe(), /* killed= */ SURVIVOR, /* survivor= */ KILLED).faults())
        .hasSize(4)
        .contains("ship-parcel happened in pid 22 (expected: in pid 11)");
  }

  private static List<Entry> asItShouldBe() {
    return List.of(
        entry("reserve-stock", KILLED),
        entry("charge-card", KILLED),
        entry("ship-parcel", SURVIVOR),
        entry("send-receipt", SURVIVOR));
  }

  private static Entry entry(String step, long pid) {
    return new Entry(step, pid, NOW);
  }
}
