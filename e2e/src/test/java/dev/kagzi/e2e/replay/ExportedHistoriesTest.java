package dev.kagzi.e2e.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.e2e.suite.Deployment;
import dev.kagzi.e2e.suite.DurabilitySuite;
import dev.kagzi.sdk.client.WorkflowHandle;
import dev.kagzi.sdk.replay.Replay;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What a server exports can be replayed. With {@code -Dkagzi.histories=<directory>} the exports are
 * kept there, which is how the files of {@link Recorded} came to be.
 */
class ExportedHistoriesTest extends DurabilitySuite {

  ExportedHistoriesTest() {
    super(Deployment.REMOTE);
  }

  @ParameterizedTest
  @EnumSource(Recorded.class)
  void whatIsExportedIsReplayed(Recorded recorded) throws IOException {
    begin(
        worker()
            .register(recorded.type(), recorded::run)
            .register(Recorded.Kin.of(recorded.fileName()), Recorded.Kin::run));
    WorkflowHandle<String> handle = start(recorded.type(), "in");
    if (recorded == Recorded.EVENT) {
      client.send(handle.runId(), Recorded.Sent.GO, "went");
    }
    Awaitility.await().atMost(LIMIT).until(() -> handle.status().isTerminal());

    String history = handle.exportHistory();

    keep(recorded, history);
    assertThat(recorded.replayer().replay(history))
        .extracting(Replay::divergence)
        .isEqualTo(Optional.empty());
  }

  private static void keep(Recorded recorded, String history) throws IOException {
    String directory = System.getProperty("kagzi.histories");
    if (directory != null) {
      Files.writeString(Path.of(directory, recorded.fileName() + ".json"), history + "\n");
    }
  }
}
