package dev.kagzi.cli.top;

import static dev.kagzi.cli.ServerAtWork.unique;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kagzi.cli.ServerAtWork;
import dev.kagzi.cli.Unfinished;
import dev.kagzi.cli.shell.Terminal;
import dev.kagzi.sdk.WorkflowFailedException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Looks at the newest of everything. */
@Isolated
class TopCommandTest {
  private static final Terminal PERSON = new Terminal(true, true, true);
  private static final String ENTER = "\u001b[?1049h";
  private static final String LEAVE = "\u001b[?1049l";

  @TempDir Path folder;

  private final ServerAtWork server = ServerAtWork.shared();

  @Test
  void printsOneFrameWhereNobodyWatches() {
    var card = unique("card");
    var run = server.client().start(ServerAtWork.CHARGE).queue("shop").input(card).send();
    assertThatThrownBy(() -> run.result(Duration.ofSeconds(30)))
        .isInstanceOf(WorkflowFailedException.class);
    var deserted = unique("deserted");
    server.client().start("greet").queue(deserted).input("Ada").send();

    assertThat(server.done("top"))
        .containsPattern("kagzi top   server \\S+ at 127.0.0.1:\\d+   namespace default")
        .containsPattern("now: .*\\d+ pending")
        .containsPattern("last 5 minutes: \\d+ started, \\d+ completed, [1-9]\\d* failed")
        .containsPattern(deserted + " +1 .*no worker")
        .containsPattern("\\w{8} +shop +ONLINE +\\d+/\\d+")
        .containsPattern("\\w{8} +charge-card +\\d+s ago +.*card declined")
        .doesNotContain("\u001b[");
    assertThat(server.kagzi("top", "-o", "json").code()).isEqualTo(2);
  }

  @Test
  void drawsAnewUntilSomebodyTypesQ() throws IOException {
    var keyboard = new PipedOutputStream();
    try (var top =
        Unfinished.start(
            folder, server.environment(), new PipedInputStream(keyboard), PERSON, "top")) {
      top.await("q ends it");
      var started = unique("started");
      server.client().start("greet").queue(started).input("Ada").send();
      top.await(started);

      keyboard.write('x');
      keyboard.write('q');
      keyboard.flush();

      assertThat(top.exitCode()).isZero();
      assertThat(top.out()).startsWith(ENTER).endsWith(LEAVE);
    }
  }

  @Test
  void drawsNoMoreThanFits() {
    var small = new HashMap<>(server.environment());
    small.putAll(Map.of("LINES", "7", "COLUMNS", "30"));
    try (var top = Unfinished.start(folder, small, InputStream.nullInputStream(), PERSON, "top")) {
      top.await("q ends it");
      top.end();

      var frames = top.out().replace(ENTER, "").replace(LEAVE, "").split("\u001b\\[H", -1);
      var first = frames[1].replaceAll("\u001b\\[[?0-9;]*\\w", "");
      assertThat(first.lines())
          .hasSize(7)
          .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(30));
      assertThat(first.lines().findFirst())
          .hasValueSatisfying(line -> assertThat(line).startsWith("kagzi top").endsWith("…"));
      assertThat(first).endsWith("q ends it");
    }
  }

  @Test
  void keepsTheLastFrameWhileTheServerIsAway() {
    var gone = ServerAtWork.another();
    var address = gone.address();
    try (var top =
        Unfinished.start(
            folder, gone.environment(), InputStream.nullInputStream(), PERSON, "top")) {
      top.await("1 worker online");
      gone.close();

      top.await("as it was last seen; no Kagzi server answers at " + address);
      top.end();

      assertThat(top.out()).endsWith(LEAVE);
    }
  }

  @Test
  void leavesTheScreenAsItWasAfterCtrlC() {
    try (var top =
        Unfinished.start(
            folder, server.environment(), InputStream.nullInputStream(), PERSON, "top")) {
      top.await("q ends it");

      top.end();

      assertThat(top.out()).startsWith(ENTER).endsWith(LEAVE);
    }
  }
}
