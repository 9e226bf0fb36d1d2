package dev.kagzi.cli.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class TableTest {

  @Test
  void columnsAreAsWideAsTheirWidestCellWhateverItsColour() {
    var table = new Table("NAME", "COUNT>", "NOTE");
    table.row("a", 7, "").row(Paint.COLOURED.good("longer"), 1204, "x");

    assertThat(table.text())
        .isEqualTo(
            """
            NAME    COUNT  NOTE
            a           7
            \u001b[32mlonger\u001b[0m   1204  x
            """);
  }

  @Test
  void aRowHasACellForEachHeader() {
    var table = new Table("A", "B");

    assertThatIllegalArgumentException().isThrownBy(() -> table.row("one"));
  }
}
