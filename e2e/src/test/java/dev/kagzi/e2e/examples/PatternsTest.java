package dev.kagzi.e2e.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.e2e.suite.Deployment;
import dev.kagzi.e2e.suite.Deployment.Home;
import dev.kagzi.examples.Approval;
import dev.kagzi.examples.Folders;
import dev.kagzi.examples.LongProcess;
import dev.kagzi.examples.Poller;
import dev.kagzi.examples.ProcessOrder;
import dev.kagzi.examples.ProcessPayment;
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

/** The programs that show one pattern each, such as those of docs/comparison.md. */
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

  @Test
  void anOrderIsMadeOfOtherWorkflows() throws Exception {
    assertThat(output(ProcessOrder::main))
        .containsExactly("to Ada: paid 20, parcel for A-1002 is on its way");
  }

  @Test
  void aFailedPaymentIsHandledByItsOwnHandlerAndByTheOneForAll() throws Exception {
    assertThat(output(ProcessPayment::main))
        .contains("FAILED: no cover for 5000")
        .containsSubsequence(
            "payment for A-1001 failed after 1 attempt: no cover for 5000",
            "kept to be looked at: Payment[order=A-1001, amount=5000]")
        .containsSubsequence("workflow.failed +1 type:ProcessPayment", "paged: charge");
  }

  @Test
  void aRunThatTakesTooLongIsEnded() throws Exception {
    assertThat(output(LongProcess::main))
        .hasSize(2)
        .contains("prepared and finished")
        .last()
        .asString()
        .startsWith("TIMED_OUT: ");
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
