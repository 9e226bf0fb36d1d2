package dev.kagzi.cli.workflow;

import static dev.kagzi.cli.ServerAtWork.unique;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.cli.Recorded;
import dev.kagzi.cli.ServerAtWork;
import dev.kagzi.cli.shell.Terminal;
import dev.kagzi.sdk.replay.WorkflowReplayer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is asked about one run: show, explain, trace, export, step. */
class ShowTest {
  private static final ServerAtWork SERVER = ServerAtWork.shared();

  @TempDir Path folder;

  private final String id = unique("show");

  private static Recorded kagzi(String... arguments) {
    return SERVER.kagzi(arguments);
  }

  private static String done(String... arguments) {
    return SERVER.done(arguments);
  }

  private String failed() {
    var run = SERVER.client().start(ServerAtWork.CHARGE).id(id).input(id).send().runId();
    assertThat(kagzi("wf", "result", run, "--timeout", "30s").code()).isEqualTo(5);
    return run;
  }

  @Test
  void showsAFailedRunWithItsStepsAndItsError() {
    var run = failed();

    var shown = kagzi("wf", "show", id, "--payloads");

    assertThat(shown.code()).as(shown.err()).isZero();
    assertThat(shown.out())
        .contains("charge-card  " + run, "id=" + id, "namespace=default", "queue=shop")
        .containsPattern("FAILED   started \\d+s ago   took \\d")
        .contains("Why: ", "input   \"" + id + "\"")
        .containsPattern("1  reserve +function +COMPLETED +1 .*\"r-17\"")
        .containsPattern("2  charge +function +FAILED +2 .*IllegalStateException: card declined")
        .contains("java.lang.IllegalStateException: card declined: " + id, "at dev.kagzi.cli");
    assertThat(done("wf", "show", id, "--attempts"))
        .containsPattern("charge +function +FAILED +1 ")
        .containsPattern("charge +function +FAILED +2 ");
  }

  @Test
  void showsWhyAttemptsFailedThatARetryReplaced() {
    failed();
    ServerAtWork.shared().heal(id);

    assertThat(done("wf", "retry", id)).contains("charge-card  retried from charge");
    assertThat(kagzi("wf", "result", id, "--timeout", "30s").code()).isZero();
    assertThat(done("wf", "show", id, "--attempts"))
        .containsPattern("charge .* replaced by a retry: IllegalStateException: card declined");
  }

  @Test
  void findsARunByItsIdItsExternalIdAndTheEndOfItsId() {
    var run = failed();

    for (var name : new String[] {run, id, run.substring(28), run.substring(20)}) {
      assertThat(done("wf", "show", name, "-o", "ids")).isEqualTo(run + "\n");
    }
    var missing = kagzi("wf", "show", "ffff0000ffff");
    assertThat(missing.code()).isEqualTo(4);
    assertThat(missing.err())
        .contains("no run 'ffff0000ffff' in namespace default", "kagzi wf list");
  }

  @Test
  void saysWhyARunDoesNotMove() {
    kagzi("wf", "start", "greet", "\"x\"", "--id", id, "--queue", unique("nobody"));

    var explained = kagzi("wf", "explain", id);

    assertThat(explained.code()).isZero();
    assertThat(explained.out())
        .containsIgnoringCase("worker")
        .containsPattern("(?m)^  [✗!] .*nobody")
        .contains("  → ");
    assertThat(done("wf", "explain", id, "-o", "json"))
        .contains("\"reason\": \"EXPLAIN_REASON_NO_WORKER");
  }

  @Test
  void watchesARunToItsEnd() {
    kagzi("wf", "start", "greet", "\"x\"", "--id", id);

    var watched = kagzi("wf", "show", id, "-w", "--every", "100ms");

    assertThat(watched.code()).isZero();
    assertThat(watched.out()).contains("COMPLETED");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"wf show", "wf explain", "wf result", "wf trace", "wf export", "step list"})
  void readsTheRunFromAPipe(String command) {
    done("run", "greet", "\"Ada\"", "--id", id);
    var words = (command + " -").split(" ", -1);

    var one = SERVER.typing(id + "\n", Terminal.NONE, words);
    var two = SERVER.typing(id + "\n" + unique("other") + "\n", Terminal.NONE, words);
    var none = SERVER.typing("", Terminal.NONE, words);

    assertThat(one.done()).isNotEmpty();
    assertThat(two.code()).isEqualTo(2);
    assertThat(two.err())
        .contains("- has 2 ids (expected: 1, because the command is about one run)");
    assertThat(none.err()).contains("- has 0 ids (expected: 1");
  }

  @Test
  void tracesARunWithItsChildren() throws Exception {
    var family = SERVER.client().start(ServerAtWork.FAMILY).id(id).input("Ada").send();

    var traced = kagzi("wf", "trace", id);

    assertThat(family.result(Duration.ofSeconds(30))).isEqualTo("child says Hello, Ada!");
    assertThat(traced.code()).as(traced.err()).isZero();
    assertThat(traced.out())
        .containsPattern("family  [0-9a-f]{8}  COMPLETED")
        .containsPattern("└─ ✔ .*greet")
        .containsPattern("   └─ greet  [0-9a-f]{8}  COMPLETED")
        .containsPattern("      ├─ ✔ compose")
        .containsPattern("      └─ ✔ send");
    assertThat(done("wf", "trace", id, "--depth", "0")).doesNotContain("compose");
    assertThat(done("wf", "show", id, "--tree")).contains("compose", "Why: ");
  }

  @Test
  void foldsWhatWentWellAndFindsTheChildrenOfAFanOut() {
    assertThat(done("run", "crowd", "\"x\"", "--id", id, "-q")).isEqualTo("\"2\"\n");

    var folded = kagzi("wf", "trace", id);
    var whole = kagzi("wf", "trace", id, "--no-fold");

    assertThat(folded.out())
        .contains("count-5  ", "├─ … 21 more that went well (--no-fold)", "count-30  ")
        .doesNotContain("count-6  ", "count-26  ")
        .containsPattern("└─ ✔ greet-all")
        .containsPattern("   ├─ greet  [0-9a-f]{8}  COMPLETED")
        .containsPattern("   └─ greet  [0-9a-f]{8}  COMPLETED");
    assertThat(whole.out()).contains("count-6  ", "count-26  ").doesNotContain("more that went");
  }

  @Test
  void exportsAHistoryThatReplays() throws Exception {
    kagzi("run", "greet", "\"Ada\"", "--id", id);

    var exported =
        Recorded.run(folder, SERVER.environment(), "wf", "export", id, "--to", "run.json");

    assertThat(exported.code()).as(exported.err()).isZero();
    var history = Files.readString(folder.resolve("run.json"));
    assertThat(done("wf", "export", id)).isEqualToIgnoringWhitespace(history);
    WorkflowReplayer.of(
            ServerAtWork.GREET,
            (ctx, name) -> {
              var greeting = ctx.step("compose", String.class, () -> "never executed");
              ctx.sleep("pause", Duration.ofMillis(50));
              ctx.step("send", () -> {});
              return greeting;
            })
        .check(history);
    assertThat(kagzi("wf", "export", unique("missing")).code()).isEqualTo(4);
  }

  @Test
  void showsAStepWithEveryAttempt() {
    var run = failed();

    var step = kagzi("step", "show", run.substring(28), "charge");
    var listed = kagzi("step", "list", id);

    assertThat(step.code()).as(step.err()).isZero();
    assertThat(step.out())
        .containsPattern("charge   run [0-9a-f]{8}   function   FAILED")
        .containsPattern("attempt 2  FAILED")
        .containsPattern("attempt 1  FAILED")
        .contains("java.lang.IllegalStateException: card declined", "at dev.kagzi.cli");
    assertThat(done("step", "show", id, "charge", "--attempt", "1"))
        .contains("attempt 1")
        .doesNotContain("attempt 2");
    assertThat(step.out())
        .containsOnlyOnce("at dev.kagzi.cli.ServerAtWork.charge")
        .contains("IllegalStateException: card declined: " + id + "   (as in attempt 2)");
    assertThat(listed.done()).containsPattern("reserve +function").contains("2 steps");
    assertThat(done("step", "list", id, "-o", "ids")).isEqualTo("reserve\ncharge\n");
  }

  @Test
  void aStepThatIsNotThereGetsASuggestion() {
    var run = failed();

    var refused = kagzi("step", "show", id, "chrage");

    assertThat(refused.code()).isEqualTo(4);
    assertThat(refused.err())
        .contains("has no step 'chrage' (did you mean 'charge'?)")
        .contains("kagzi step list %s shows 2 steps".formatted(run.substring(28)));
    assertThat(kagzi("step", "show", id, "charge", "--attempt", "9").code()).isEqualTo(4);
  }

  @Test
  void explainsAFailureWithTheCommandsThatHelp() {
    var run = failed().substring(28);

    assertThat(done("wf", "explain", id))
        .contains("    kagzi step show %s 'charge'\n    kagzi wf retry %1$s\n".formatted(run));
  }

  @Test
  void aRunTakesAsLongInListsAsByItself() {
    failed();
    var took = "took (\\S+)";

    var shown = done("wf", "show", id);
    var listed = done("wf", "list", "--id-prefix", id);

    var length = Pattern.compile(took).matcher(shown).results().findFirst().orElseThrow().group(1);
    assertThat(listed).containsPattern(" " + length + "\n").contains("1 of 1 run\n");
    assertThat(done("wf", "trace", id, "--once")).contains("FAILED  " + length);
  }

  @Test
  void aFileThatCannotBeWrittenIsNamed() throws IOException {
    kagzi("run", "greet", "\"Ada\"", "--id", id);

    var refused =
        Recorded.run(folder, SERVER.environment(), "wf", "export", id, "--to", "no/such/run.json");

    assertThat(refused.code()).isEqualTo(1);
    assertThat(refused.err()).contains("--to no/such/run.json cannot be written");
  }
}
