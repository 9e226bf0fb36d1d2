package dev.kagzi.cli.shell;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.kagzi.cli.ServerAtWork;
import dev.kagzi.cli.Unfinished;
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
  void withinAnotherOneSaysNothing() {
    var session = session(PERSON, Map.of());
    try (var whole = new Progress(session, Duration.ZERO)) {
      whole.show("all");
      try (var part = new Progress(session, Duration.ZERO)) {
        part.show("a part");
      }
    }
    try (var next = new Progress(session, Duration.ZERO)) {
      next.show("the next");
    }

    assertThat(err.toString(UTF_8)).contains("all", "the next").doesNotContain("a part");
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
    "wf show order-42, looking for run 'order-42'",
    "schedule show nightly, looking for schedule 'nightly'",
    "worker show 7f3a91bc, looking for worker '7f3a91bc'",
    "ns show orders, waiting for 127.0.0.1:",
    "api GetNamespace, waiting for 127.0.0.1:",
    "top, waiting for 127.0.0.1:",
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
  void aServerThatTakesLongToStartSaysSo() throws IOException {
    Unfinished dev;
    try (var silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      var database =
          "--database-url=postgres://127.0.0.1:%d/kagzi".formatted(silent.getLocalPort());
      dev = start(Map.of(), "dev", "--port=0", "--http-port=0", database);
      dev.await("starting the server");
    }
    assertThat(dev.exitCode()).isEqualTo(1);
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
