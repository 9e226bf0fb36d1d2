package dev.kagzi.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.sdk.RunStatus;
import dev.kagzi.sdk.ServerUnavailableException;
import dev.kagzi.sdk.WorkflowFailedException;
import dev.kagzi.sdk.WorkflowNotFoundException;
import org.junit.jupiter.api.Test;

class FailuresTest {

  @Test
  void endsWithTheDocumentedCodes() {
    assertThat(Failures.code(new WorkflowNotFoundException("r-1", null)).number()).isEqualTo(4);
    assertThat(Failures.code(failedRun()).number()).isEqualTo(5);
    assertThat(Failures.code(unavailable()).number()).isEqualTo(1);
    assertThat(Failures.code(new IllegalStateException("odd")).number()).isEqualTo(1);
  }

  private static WorkflowFailedException failedRun() {
    return new WorkflowFailedException("r-1", RunStatus.FAILED, "", "no", null);
  }

  private static ServerUnavailableException unavailable() {
    return new ServerUnavailableException("localhost:1", "--address", null);
  }

  @Test
  void explainsWhatIsKnownAndOwnsUpToTheRest() {
    assertThat(Failures.sentence(unavailable())).startsWith("No Kagzi server answers at localhost");
    assertThat(Failures.sentence(new IllegalStateException("odd")))
        .isEqualTo(
            "java.lang.IllegalStateException: odd; this is a bug in Kagzi, --debug shows where");
  }

  @Test
  void aClassThatIsNotThereMeansAnotherInstallation() {
    assertThat(Failures.sentence(new NoClassDefFoundError("dev/kagzi/cli/top/Frame")))
        .isEqualTo(
            "java.lang.NoClassDefFoundError: dev/kagzi/cli/top/Frame; Kagzi has probably been built"
                + " anew or replaced while this command ran: start it again");
  }
}
