package dev.kagzi.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerLogTest {
  @TempDir private Path folder;

  @Test
  void hearsThatTheServerIsReadyEvenInTwoHalves() throws Exception {
    var serverLog = new ServerLog(folder.resolve("postgres.log"));

    serverLog.drain(
        new SequenceInputStream(bytes("system is ready to acc"), bytes("ept connections\n")));

    assertThat(serverLog.awaitReady(1)).isTrue();
  }

  @Test
  void doesNotWaitForAServerThatEnded() throws Exception {
    var serverLog = new ServerLog(folder.resolve("postgres.log"));

    serverLog.drain(bytes("FATAL: no\n"));

    assertThat(serverLog.awaitReady(60)).isFalse();
    assertThat(serverLog.tail()).isEqualTo("FATAL: no");
  }

  @Test
  void staysSmallHoweverMuchIsSaid() throws Exception {
    var file = folder.resolve("postgres.log");
    var serverLog = new ServerLog(file);
    var chatter = "x".repeat(26 * 1024 * 1024);

    serverLog.drain(bytes(chatter));

    assertThat(serverLog.tail()).hasSize(8_192);
    assertThat(Files.size(file)).isLessThan(11L * 1024 * 1024);
    assertThat(folder).isDirectoryContaining("glob:**/postgres.log.1");
  }

  @Test
  void goesOnReadingWhenTheFileCannotBeWritten() {
    var serverLog = new ServerLog(folder.resolve("missing").resolve("postgres.log"));

    serverLog.drain(bytes("still heard\n"));

    assertThat(serverLog.tail()).isEqualTo("still heard");
  }

  private static InputStream bytes(String text) {
    return new ByteArrayInputStream(text.getBytes(UTF_8));
  }
}
