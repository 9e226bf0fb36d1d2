package dev.kagzi.e2e.failures;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.e2e.suite.Deployment;
import dev.kagzi.e2e.suite.Deployment.Home;
import dev.kagzi.examples.Booking;
import dev.kagzi.examples.Charge;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The programs that docs/failures.md shows do what it says. */
class FailureExamplesTest {

  private static final Path PAGE = Path.of("..", "docs", "failures.md");
  private static final Path EXAMPLES = Path.of("..", "examples/src/main/java/dev/kagzi/examples");
  private static final Pattern JAVA = Pattern.compile("(?s)```java\\n(.*?)```");
  private static final Pattern SPACE = Pattern.compile("\\s+");

  /** The main method of an example. */
  private interface Program {
    void run(String... args) throws Exception;
  }

  @Test
  void chargesUntilItSucceedsOrIsDeclined() throws Exception {
    assertThat(output(Charge::main))
        .contains("charged 20 once", "declined after 1 attempt: no cover for 5000");
  }

  @Test
  void cancelsWhatWasBookedAndApologizes() throws Exception {
    assertThat(output(Booking::main))
        .contains("flight booked to Rome", "FAILED: no room in Rome")
        .contains("sorry about Rome: hotel failed, no room in Rome")
        .containsSubsequence("hotel cancelled, if it was booked", "flight cancelled");
  }

  private static List<String> output(Program program) throws Exception {
    var out = new ByteArrayOutputStream();
    PrintStream before = System.out;
    try (Home home = Deployment.REMOTE.open()) {
      System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
      program.run(home.address());
    } finally {
      System.setOut(before);
    }
    return out.toString(StandardCharsets.UTF_8).lines().toList();
  }

  @Test
  void everyProgramTextOnThePageIsPartOfAnExampleThatRuns() throws IOException {
    String sources =
        plain(
            Files.readString(EXAMPLES.resolve("Charge.java"))
                + Files.readString(EXAMPLES.resolve("Booking.java")));
    Matcher block = JAVA.matcher(Files.readString(PAGE));

    int blocks = 0;
    while (block.find()) {
      blocks++;
      assertThat(sources).contains(plain(block.group(1)));
    }
    assertThat(blocks).isPositive();
  }

  private static String plain(String text) {
    return SPACE.matcher(text).replaceAll(" ").strip();
  }
}
