package dev.kagzi.e2e.killmatrix;

import dev.kagzi.e2e.killmatrix.Matrix.Cell;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The kill matrix with server processes that halt: nothing in them runs to its end. */
@Tag("soak")
class HaltMatrixIT {

  private static final int LANES = 3;

  @TempDir private static Path folder;
  private static Matrix matrix;

  @BeforeAll
  static void begin() {
    matrix = new Matrix(HaltingVictim.in(folder), LANES, Duration.ZERO).begin(Matrix.cells());
  }

  @AfterAll
  static void end() throws InterruptedException {
    matrix.report("haltmatrix");
    matrix.close();
  }

  static List<Cell> cells() {
    return Matrix.cells();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cells")
  void nothingIsLostAndNothingIsDoneTwice(Cell cell) throws Throwable {
    matrix.check(cell);
  }
}
