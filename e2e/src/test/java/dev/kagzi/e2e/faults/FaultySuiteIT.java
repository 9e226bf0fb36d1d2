package dev.kagzi.e2e.faults;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.e2e.cli.Command;
import dev.kagzi.e2e.suite.RandomFaults;
import dev.kagzi.faults.Fault;
import dev.kagzi.faults.SeededFaults;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The functional suite passes when one statement in a hundred fails, one is executed and its answer
 * lost, one is slow and one has its backend killed. Tests wait at most twice as long as otherwise.
 */
@Order(1)
class FaultySuiteIT {

  private static final double SHARE = 0.01;
  private static final String SUITE = "dev.kagzi.e2e.";
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration SOAK_PATIENCE = Duration.ofMinutes(30);

  /** About as many as there are: tests that are no longer found would be missed by nobody else. */
  private static final int TESTS_OF_PART = 40;

  private static final int TESTS_OF_WHOLE = 250;

  @TempDir private Path folder;

  @Test
  void aPartOfTheSuitePassesOnADatabaseThatFailsNowAndThen() throws Exception {
    List<String> part = List.of(SUITE + "suite.StepsTest", SUITE + "children.ChildrenTest");
    run(20261117, PATIENCE, part, TESTS_OF_PART);
  }

  @Test
  @Tag("soak")
  void theWholeSuitePassesOnADatabaseThatFailsNowAndThen() throws Exception {
    List<String> whole =
        List.of(
            SUITE + "suite.",
            SUITE + "failures.",
            SUITE + "events.",
            SUITE + "children.",
            SUITE + "parallel.");
    run(System.nanoTime(), SOAK_PATIENCE, whole, TESTS_OF_WHOLE);
  }

  private void run(long seed, Duration patience, List<String> tests, int atLeast)
      throws IOException, InterruptedException {
    List<String> line = Command.java(folder, SuiteProgram.class.getName());
    line.addAll(
        1,
        List.of(
            "-D%s=%s".formatted(RandomFaults.SHARE, SHARE),
            "-D%s=%d".formatted(RandomFaults.SEED, seed)));
    line.addAll(tests);
    Path output = folder.resolve("output.txt");
    Process suite =
        new ProcessBuilder(line).redirectErrorStream(true).redirectOutput(output.toFile()).start();
    try {
      boolean ended = suite.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS);
      String said = Files.readString(output, UTF_8);
      said.lines()
          .filter(text -> text.startsWith("suite.") || text.startsWith("faults."))
          .forEach(System.out::println);
      assertThat(ended).as(said).isTrue();
      assertThat(numberAfter("suite.tests: ", said)).isGreaterThanOrEqualTo(atLeast);
      for (Fault kind : SeededFaults.KINDS) {
        String name = RandomFaults.hitsOf(kind);
        assertThat(numberAfter(name, said)).as(name).isPositive();
      }
      assertThat(suite.exitValue()).as(said).isZero();
    } finally {
      suite.destroyForcibly();
    }
  }

  private static int numberAfter(String name, String said) {
    return said.lines()
        .filter(line -> line.startsWith(name))
        .mapToInt(line -> Integer.parseInt(line.substring(name.length())))
        .findFirst()
        .orElse(0);
  }
}
