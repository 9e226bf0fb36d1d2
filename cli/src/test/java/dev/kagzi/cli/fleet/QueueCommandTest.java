package dev.kagzi.cli.fleet;

import static dev.kagzi.cli.ServerAtWork.unique;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.cli.Recorded;
import dev.kagzi.cli.ServerAtWork;
import dev.kagzi.cli.Unfinished;
import dev.kagzi.cli.shell.Terminal;
import java.io.InputStream;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Counts the workers of a queue that others start workers on too. */
@Isolated
class QueueCommandTest {
  private static Recorded kagzi(String... arguments) {
    return ServerAtWork.shared().kagzi(arguments);
  }

  private static String done(String... arguments) {
    return ServerAtWork.shared().done(arguments);
  }

  @Test
  void showsWhatWaitsAndWhoServesIt() {
    var lonely = unique("lonely");
    kagzi("wf", "start", "greet", "\"x\"", "--queue", lonely);

    var listed = kagzi("queue", "list", "--limit", "1000");
    var shown = kagzi("queue", "show", lonely);

    assertThat(listed.code()).as(listed.err()).isZero();
    assertThat(listed.out())
        .containsPattern("QUEUE +READY +OLDEST +RUNNING +SLEEPING +RETRYING +WORKERS +SLOTS")
        .containsPattern("(?m)^shop +\\d+ .* +1 +\\d+/\\d+ ")
        .containsPattern("(?m)^" + lonely + " +1 +\\S+ +0 +0 +0 +0 +0/0 .*no worker$");
    assertThat(shown.done()).contains("nobody serves: greet", "0 workers");
    assertThat(done("queue", "show", "shop")).containsPattern("shop +ONLINE");
    assertThat(done("queue", "list", "-o", "ids")).contains("shop\n");
  }

  @Test
  void watchesUntilItIsTold() {
    var lonely = unique("watched");
    try (var watched =
        Unfinished.start(
            Path.of("").toAbsolutePath(),
            ServerAtWork.shared().environment(),
            InputStream.nullInputStream(),
            Terminal.NONE,
            "queue",
            "list",
            "--limit",
            "1000",
            "-w",
            "--every",
            "100ms")) {
      watched.await("shop ");
      assertThat(watched.out()).doesNotContain(lonely);

      done("wf", "start", "greet", "\"x\"", "--queue", lonely);

      watched.await(lonely);
      assertThat(watched.out().split("QUEUE +READY", -1)).hasSizeGreaterThan(2);
    }
  }

  @Test
  void saysThatAQueueIsEmpty() {
    var missing = kagzi("queue", "show", unique("missing"));

    assertThat(missing.code()).isEqualTo(4);
    assertThat(missing.err()).contains("has work or workers; kagzi queue list");
  }
}
