package dev.kagzi.cli.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.kagzi.cli.ServerAtWork;
import dev.kagzi.cli.Unfinished;
import dev.kagzi.cli.shell.Lifetime;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.cli.shell.Streams;
import dev.kagzi.cli.shell.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProgressTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Terminal PERSON = new Terminal(true, true, true);
  private static final String CLEAR = "\r\u001b[K";

  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private Session session(Terminal terminal, Map<String, String> environment) {
    var print = new PrintStream(err, true, UTF_8);
    var streams = new Streams(InputStream.nullInputStream(), print, print, terminal);
    return new Session(environment, Path.of(""), streams, new Lifetime());
  }

  private static Unfinished start(Map<String, String> environment, String... arguments) {
    return Unfinished.start(
        Path.of("").toAbsolutePath(),
        environment,
        InputStream.nullInputStream(),
        PERSON,
        arguments);
  }

  @Test
  void showsALineThatDoesNotWrapAndTakesItBack() {
    try (var progress = new Progress(session(PERSON, Map.of("NO_COLOR", "1")), Duration.ZERO)) {
      progress.show("1 of 2");
      progress.show("2 of 2");
    }

    assertThat(err.toString(UTF_8))
        .isEqualTo(
            CLEAR + "\u001b[?7l1 of 2\u001b[?7h" + CLEAR + "\u001b[?7l2 of 2\u001b[?7h" + CLEAR);
  }

  @Test
  void saysNothingAtFirstAndNothingWhereNobodyReadsOrNothingCanBeTakenBack() {
    try (var soon = new Progress(session(PERSON, Map.of()));
        var piped = new Progress(session(Terminal.NONE, Map.of()), Duration.ZERO);
        var dumb = new Progress(session(PERSON, Map.of("TERM", "dumb")), Duration.ZERO)) {
      soon.show("1 of 2");
      piped.show("1 of 2");
      dumb.show("1 of 2");
    }

    assertThat(err.size()).isZero();
  }

  @Test
  void showsWhatASingleCallIsAboutThatTakesLong() {
    var patience = Duration.ofMillis(200);
    try (var progress = new Progress(session(PERSON, Map.of()), patience)) {
      progress.show("one call");

      await().atMost(PATIENCE).until(() -> err.toString(UTF_8).contains("one call"));
    }
    assertThat(err.toString(UTF_8)).endsWith(CLEAR);
  }

  @ParameterizedTest
  @CsvSource({
    "wf list --limit 2000, fetched 0 of at most 2000",
    "wf cancel one two --yes, cancel: 0 of 2 runs",
    "schedule backfill 0198f2c1-6f0b-7c3e-9a51-0d7c2f8e1b44 --since 1h --yes, counted 0 ticks of",
    "doctor, looking at the server",
  })
  void whatTakesLongSaysWhatItDoes(String line, String said) throws IOException {
    // A connection that the operating system takes, and nobody else.
    try (var silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        var command =
            start(
                Map.of("KAGZI_ADDRESS", "127.0.0.1:" + silent.getLocalPort()),
                line.split(" ", -1))) {
      command.await(said);
    }
  }

  @Test
  void whoWaitsForARunSeesItAllTheTime() {
    var server = ServerAtWork.shared();
    var run = server.client().start(ServerAtWork.NAP).input("x").send().runId();
    try (var result = start(server.environment(), "wf", "result", run)) {
      await()
          .during(Duration.ofMillis(250))
          .atMost(PATIENCE)
          .until(() -> result.out().matches("(?s).*waiting for \\w{8}: \\w+, [^\r]+h"));
    }
    server.kagzi("wf", "cancel", run);
  }
}
