package dev.kagzi.cli.workflow;

import static dev.kagzi.cli.ServerAtWork.unique;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.cli.Recorded;
import dev.kagzi.cli.ServerAtWork;
import dev.kagzi.cli.shell.Terminal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code wf start}, {@code run} and {@code wf result}. */
class StartTest {
  private static final ServerAtWork SERVER = ServerAtWork.shared();
  private static final String ANY_ID = "\\p{XDigit}{8}(-\\p{XDigit}{4}){3}-\\p{XDigit}{12}\n";

  /** However busy the machine is. */
  private static final String LENGTH = "[\\d.]+m?s";

  @TempDir Path folder;

  private final String id = unique("start");

  private static Recorded kagzi(String... arguments) {
    return SERVER.kagzi(arguments);
  }

  @Test
  void startsARunAndPrintsItsIdAlone() {
    var started = kagzi("wf", "start", "greet", "\"Ada\"", "--id", id, "--label", "a=1");
    var again = kagzi("wf", "start", "greet", "\"Bob\"", "--id", id, "--reuse-id", "reject");

    assertThat(started.code()).as(started.err()).isZero();
    assertThat(started.out()).matches(ANY_ID);
    assertThat(again.out()).isEqualTo(started.out());
    assertThat(again.err()).contains("nothing was started");
    var result = kagzi("workflow", "result", id, "--timeout", "30s");
    assertThat(result.code()).as(result.err()).isZero();
    assertThat(result.out()).isEqualTo("\"Hello, Ada!\"\n");
  }

  @Test
  void saysWhyARunThatIsFollowedDoesNotBegin() {
    var queue = unique("nobody");

    var followed = kagzi("run", "greet", "\"Ada\"", "--queue", queue, "--timeout", "5s");

    assertThat(followed.code()).isEqualTo(6);
    assertThat(followed.err())
        .containsOnlyOnce(
            "  ! No worker is on queue '%s', which the run waits on.".formatted(queue))
        .containsOnlyOnce("→ start a worker on queue '%s'".formatted(queue))
        .contains("is still PENDING after 5.0s; it goes on: kagzi wf explain ");
  }

  @Test
  void aTypeThatNoWorkerKnowsGetsASuggestion() {
    var followed = kagzi("run", "gret", "\"Ada\"", "--queue", unique("nobody"), "--timeout", "5s");
    var known = kagzi("run", "greet", "\"Ada\"", "--queue", unique("nobody"), "--timeout", "5s");

    assertThat(followed.err())
        .containsPattern(
            "no worker has ever registered 'gret' \\(did you mean 'greet'\\?\\);"
                + " kagzi wf cancel [0-9a-f]{8} takes it back");
    assertThat(known.err()).doesNotContain("did you mean");
  }

  @Test
  void takesTheInputFromAFileOrTheStandardInput() throws IOException {
    Files.writeString(folder.resolve("in.json"), "\"File\"\n");

    var file =
        Recorded.run(folder, SERVER.environment(), "run", "greet", "@in.json", "--timeout", "30s");
    var piped = SERVER.typing("\"Pipe\"", Terminal.NONE, "run", "greet", "-", "-q");

    assertThat(file.out()).as(file.err()).isEqualTo("\"Hello, File!\"\n");
    assertThat(piped.out()).as(piped.err()).isEqualTo("\"Hello, Pipe!\"\n");
    assertThat(piped.err()).isEmpty();
    assertThat(Recorded.run(folder, SERVER.environment(), "run", "greet", "@no.json").err())
        .contains("the input: there is no file no.json");
  }

  @Test
  void showsWhereJsonIsWrong() throws IOException {
    Files.writeString(folder.resolve("bad.json"), "{\n  \"order\": 42,\n  \"item\" \"book\"\n}\n");

    var word = kagzi("wf", "start", "greet", "Ada");
    var file = Recorded.run(folder, SERVER.environment(), "wf", "start", "greet", "@bad.json");

    assertThat(word.code()).isEqualTo(2);
    assertThat(word.err())
        .contains("the input is not JSON: typed text, line 1, column", "'\"Ada\"'");
    assertThat(kagzi("run", "greet", "{\"a\": [1,\n2").err())
        .contains("line 2, column 2: Unexpected end-of-input: expected close marker for Array\n")
        .doesNotContain("Source");
    assertThat(SERVER.typing("[1", Terminal.NONE, "wf", "start", "greet", "-").err())
        .contains("the input is not JSON: standard input, line 1, column 3");
    assertThat(file.code()).isEqualTo(2);
    assertThat(file.err()).contains("bad.json, line 3, column 10", "  \"item\" \"book\"", "^");
  }

  @Test
  void showsOfALongLineWhatIsAroundTheFault() {
    var json = "{\"a\": \"" + "x".repeat(500) + "\", \"b\" 1, \"c\": \"" + "y".repeat(500) + "\"}";

    var lines = kagzi("wf", "start", "greet", json).err().lines().toList();

    assertThat(lines.get(1)).hasSizeLessThan(140).contains("…xxx", "\"b\" 1", "yyy…");
    assertThat(lines.get(2).indexOf('^')).isEqualTo(lines.get(1).indexOf("1,"));
  }

  @Test
  void aDryRunStartsNothing() {
    var dry = kagzi("wf", "start", "greet", "\"Ada\"", "--id", id, "--delay", "10m", "--dry-run");

    assertThat(dry.code()).isZero();
    assertThat(dry.out()).contains("\"workflowType\": \"greet\"", "\"startDelay\": \"600s\"");
    assertThat(kagzi("run", "greet", "\"Ada\"", "--id", id, "--dry-run").out())
        .contains("\"externalId\": \"" + id + "\"");
    assertThat(kagzi("wf", "show", id).code()).isEqualTo(4);
  }

  @Test
  void followsARunAndPrintsItsOutputAlone() {
    var run = kagzi("run", "greet", "\"Ada\"", "--timeout", "30s");

    assertThat(run.code()).as(run.err()).isZero();
    assertThat(run.out()).isEqualTo("\"Hello, Ada!\"\n");
    assertThat(run.err())
        .containsPattern("[0-9a-f]{8}  greet")
        .containsPattern("✔ compose +" + LENGTH)
        .containsPattern("✔ pause +" + LENGTH)
        .containsPattern("✔ send +" + LENGTH)
        .containsPattern("COMPLETED in \\d");
  }

  @Test
  void aFailedRunEndsWithFive() {
    var failed = kagzi("run", "charge-card", "\"" + id + "\"", "--timeout", "30s");

    assertThat(failed.code()).isEqualTo(5);
    assertThat(failed.out()).isEmpty();
    assertThat(failed.err())
        .containsPattern("✗ charge +attempt 1: IllegalStateException: card declined: " + id)
        .containsPattern("✗ charge +attempt 2")
        .containsPattern("kagzi: run [0-9a-f]{8} FAILED in step 'charge': ");
  }

  @Test
  void aRunThatTakesLongerThanOneWaitsEndsWithSixAndGoesOn() {
    var waited = kagzi("run", "approve", "\"x\"", "--id", id, "--timeout", "300ms");

    assertThat(waited.code()).isEqualTo(6);
    assertThat(waited.err()).contains("is still", "it goes on: kagzi wf explain");
    assertThat(kagzi("wf", "result", id, "--timeout", "0").code()).isEqualTo(6);
    assertThat(kagzi("wf", "cancel", id).code()).isZero();
    assertThat(kagzi("wf", "result", id).code()).isEqualTo(5);
  }

  @Test
  void tellsAPersonWhatItWaitsForAfterTwoSeconds() {
    kagzi("wf", "start", "nap", "--id", id);
    var person = new Terminal(true, true, true);

    var longer = SERVER.typing("", person, "wf", "result", id, "--timeout", "3s");

    assertThat(longer.err()).containsPattern("waiting for [0-9a-f]{8}: SLEEPING, [2-9]\\.\\ds");
    assertThat(kagzi("wf", "result", id, "--timeout", "3s").err()).doesNotContain("waiting for");
    kagzi("wf", "cancel", id);
  }

  @Test
  void detachesOnDemand() {
    assertThat(kagzi("run", "greet", "\"Ada\"", "--detach").out()).matches(ANY_ID);
    assertThat(kagzi("run", "greet", "\"Ada\"", "-o", "json").out())
        .contains("\"finished\": true", "WORKFLOW_STATUS_COMPLETED");
  }

  @Test
  void refusesWhatTheServerRefuses() {
    var nameless = kagzi("wf", "start", "");
    var nowhere = kagzi("wf", "start", "greet", "-n", unique("no-such-namespace"), "\"x\"");

    assertThat(nameless.code()).isEqualTo(2);
    assertThat(nameless.err()).contains("workflow_type");
    assertThat(nowhere.code()).isEqualTo(4);
    assertThat(nowhere.err()).contains("no-such-namespace");
  }
}
