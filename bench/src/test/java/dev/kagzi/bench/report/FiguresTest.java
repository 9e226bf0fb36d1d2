package dev.kagzi.bench.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FiguresTest {
  private final Figures figures = new Figures();

  private String printed(BiConsumer<Figures, PrintStream> print) {
    var out = new ByteArrayOutputStream();
    print.accept(figures, new PrintStream(out, true, UTF_8));
    return out.toString(UTF_8);
  }

  @Test
  void aKeyIsWorkloadSystemAndFigure() {
    assertThat(new FigureKey("w1", "floor_per_op", "wf_per_s"))
        .hasToString("w1.floor_per_op.wf_per_s");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "W1", "w1.remote", "1w", "w-1"})
  void aKeyThatScriptsCouldNotReadIsRefused(String word) {
    assertThatThrownBy(() -> new FigureKey(word, "remote", "x")).hasMessageContaining("workload");
    assertThatThrownBy(() -> new FigureKey("w1", "remote", word)).hasMessageContaining("figure");
  }

  @Test
  void oneRoundIsOneLine() {
    figures.fact("bench.disk", "ext4");
    figures.add("w1", "remote", "wf_per_s", 1234.5);

    assertThat(printed(Printer::lines).lines())
        .containsExactly("bench.disk: ext4", "w1.remote.wf_per_s: 1235");
  }

  @Test
  void severalRoundsAreTheirMedianAndTheirSpread() {
    List.of(3.0, 1.0, 2.0).forEach(value -> figures.add("w2", "remote", "p50_ms", value));

    assertThat(printed(Printer::lines).lines())
        .containsExactly(
            "w2.remote.p50_ms: 2.00", "w2.remote.p50_ms_min: 1.00", "w2.remote.p50_ms_max: 3.00");
    assertThat(printed(Printer::tables)).contains("2.00 (1.00..3.00)");
  }

  @Test
  void whoDoesNotWaitForTheLastWorkloadHasThoseThatAreOver() {
    figures.add("w1", "remote", "wf_per_s", 1234.5);
    figures.add("w2", "remote", "p50_ms", 2);

    var told =
        printed((measured, out) -> new Progress(out, false).measured(measured, "w1")).strip();

    assertThat(told.lines().map(String::strip))
        .containsExactly("w1        remote", "wf_per_s    1235");
  }

  @Test
  void jsonHasTheSameNames() {
    figures.fact("bench.java", "a \"b\" \\ c");
    figures.add("w5", "remote", "cpu_pct", 0.25);

    assertThat(printed(Printer::json))
        .isEqualToNormalizingNewlines(
            """
            {
              "bench.java": "a \\"b\\" \\\\ c",
              "w5.remote.cpu_pct": 0.2500
            }
            """);
  }

  @ParameterizedTest
  @CsvSource({"123456.7, 123457", "12.345, 12.35", "0.12345, 0.1235", "-250.4, -250"})
  void numbersHaveTheDigitsThatMeanSomething(double value, String text) {
    assertThat(Printer.number(value)).isEqualTo(text);
  }

  @Test
  void aTableHasTheSystemsAcross() {
    figures.add("w1", "remote", "wf_per_s", 2000);
    figures.add("w1", "dbos", "wf_per_s", 400);

    assertThat(printed(Printer::tables).strip().lines())
        .containsExactly("w1        remote  dbos", "wf_per_s    2000   400");
  }

  @Test
  void aRatioIsTakenRoundByRoundToThePeerWithTheBestMedian() {
    List.of(100.0, 400.0).forEach(value -> figures.add("w1", "remote", "wf_per_s", value));
    List.of(50.0, 100.0).forEach(value -> figures.add("w1", "dbos", "wf_per_s", value));
    List.of(10.0, 10.0).forEach(value -> figures.add("w1", "restate", "wf_per_s", value));
    var ratios = new Ratios(figures);
    var mine = new FigureKey("w1", "remote", "wf_per_s");

    ratios.add(mine, List.of("dbos", "restate"), "vs_best_peer", true);
    ratios.add(mine, List.of("dbos", "restate"), "vs_worst_peer", false);
    ratios.add(mine, List.of("floor_per_op"), "vs_floor_per_op", true);

    assertThat(figures.rounds(new FigureKey("w1", "remote", "vs_best_peer")))
        .containsExactly(2.0, 4.0);
    assertThat(figures.rounds(new FigureKey("w1", "remote", "vs_worst_peer")))
        .containsExactly(10.0, 40.0);
    assertThat(figures.rounds(new FigureKey("w1", "remote", "vs_floor_per_op"))).isEmpty();
  }
}
