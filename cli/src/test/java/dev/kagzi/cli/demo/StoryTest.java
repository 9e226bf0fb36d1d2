package dev.kagzi.cli.demo;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kagzi.cli.demo.Event.RunState;
import dev.kagzi.cli.demo.Event.Status;
import dev.kagzi.cli.demo.Signal.Kind;
import dev.kagzi.cli.demo.Story.Cue;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class StoryTest {
  private static final long FIRST = 11;
  private static final long SECOND = 22;

  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private final Story story = new Story(new Timeline(new PrintStream(printed, true, UTF_8), 0));

  @Test
  void tellsOfTheKillAndOfWhatWasNotExecutedAgain() {
    hear(0.1, FIRST, Kind.CLAIMED, "");
    hear(0.2, FIRST, Kind.EXECUTED, "charge-card");
    assertThat(hear(0.3, FIRST, Kind.WAITING, "")).isEqualTo(Cue.KILL);
    story.kill(seconds(0.4), FIRST);
    story.hear(new Event.WorkerEnded(seconds(0.4), FIRST));
    change(5.4, Status.READY, 1);
    hear(5.5, SECOND, Kind.CLAIMED, "");
    hear(5.5, SECOND, Kind.REPLAYED, "reserve-stock");
    hear(5.5, SECOND, Kind.REPLAYED, "charge-card");
    change(5.6, Status.SLEEPING, 1);
    assertThat(change(7.7, Status.COMPLETED, 1)).isEqualTo(Cue.END);

    assertThat(lines())
        .containsExactly(
            "    0.10 s  claimed by pid 11",
            "    0.20 s  executed charge-card (pid 11)",
            "    0.40 s  KILLED worker pid 11 (SIGKILL)",
            "    5.40 s  detected after 5.0 s",
            "    5.50 s  claimed by pid 22",
            "    5.60 s  replayed x 2 (not executed again): reserve-stock, charge-card",
            "    5.60 s  sleeping (no worker holds the run)");
  }

  @Test
  void aClaimIsADetectionTooIfTheServersWordComesLater() {
    story.kill(seconds(1), FIRST);
    change(1.1, Status.RUNNING, 0);
    hear(6, SECOND, Kind.CLAIMED, "");
    change(6.1, Status.RUNNING, 1);

    assertThat(lines())
        .containsExactly(
            "    1.00 s  KILLED worker pid 11 (SIGKILL)",
            "    6.00 s  detected after 5.0 s",
            "    6.00 s  claimed by pid 22");
  }

  @Test
  void failsWhenSomethingElseHappens() {
    assertThatThrownBy(() -> story.hear(new Event.WorkerEnded(0, SECOND)))
        .hasMessage("worker pid 22 ended by itself");
    assertThatThrownBy(() -> change(1, Status.FAILED, 0)).hasMessage("the run did not complete");
    assertThatThrownBy(() -> story.hear(new Event.ServerSilent(0, "UNAVAILABLE")))
        .hasMessage("the server does not answer: UNAVAILABLE");
  }

  private Cue hear(double at, long pid, Kind kind, String step) {
    return story.hear(new Event.Told(seconds(at), pid, new Signal(kind, step)));
  }

  private Cue change(double at, Status status, int crashes) {
    return story.hear(new Event.RunChanged(seconds(at), new RunState(status, crashes, null)));
  }

  private List<String> lines() {
    return printed.toString(UTF_8).lines().toList();
  }

  private static long seconds(double seconds) {
    return (long) (seconds * TimeUnit.SECONDS.toNanos(1));
  }
}
