package dev.kagzi.e2e.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.e2e.suite.Deployment;
import dev.kagzi.e2e.suite.Deployment.Home;
import dev.kagzi.examples.Approval;
import dev.kagzi.examples.Folders;
import dev.kagzi.examples.Poller;
import dev.kagzi.examples.Report;
import dev.kagzi.examples.Rollout;
import dev.kagzi.examples.Thumbnails;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** One program for each pattern that docs/comparison.md describes. */
@Isolated
class PatternsTest {

  private static final Home HOME = Deployment.REMOTE.open();

  /** The main method of an example. */
  private interface Program {
    void run(String... args) throws Exception;
  }

  @AfterAll
  static void close() {
    HOME.close();
  }

  @Test
  void aFanOutComesTogetherAgain() throws Exception {
    assertThat(output(Thumbnails::main)).contains("rendered 200 pictures");
  }

  @Test
  void aWorkflowStartsItselfForTheParts() throws Exception {
    assertThat(output(Folders::main)).contains("home has 6020 bytes");
  }

  @Test
  void anEndlessWorkflowGoesOnAsANewRun() throws Exception {
    assertThat(output(Poller::main)).contains("the inbox had 12 messages");
  }

  @Test
  void aPersonDecides() throws Exception {
    assertThat(output(Approval::main)).contains("chair: paid 250", "yacht: rejected by Ada");
  }

  @Test
  void aNewVersionGoesLiveBesideTheOldOne() throws Exception {
    assertThat(output(Rollout::main))
        .contains("Linus is welcomed by version 2", "Ada is welcomed by version 1");
  }

  @Test
  void aScheduleCatchesUpOnPastDays() throws Exception {
    assertThat(output(Report::main))
        .containsExactly(
            "morning-report: at 09:30 every day between Monday and Friday in Europe/Berlin",
            "a report about sales",
            "a report about sales",
            "a report about sales");
  }

  private static List<String> output(Program program) throws Exception {
    var out = new ByteArrayOutputStream();
    PrintStream before = System.out;
    try {
      System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
      program.run(HOME.address());
    } finally {
      System.setOut(before);
    }
    return out.toString(StandardCharsets.UTF_8).lines().toList();
  }
}
