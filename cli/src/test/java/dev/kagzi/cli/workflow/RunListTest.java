package dev.kagzi.cli.workflow;

import static dev.kagzi.cli.ServerAtWork.unique;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.cli.Recorded;
import dev.kagzi.cli.ServerAtWork;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.worker.Worker;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code wf list} and {@code wf count}, over three runs that a label tells from all others. */
class RunListTest {
  private static final ServerAtWork SERVER = ServerAtWork.shared();
  private static final String LABEL = unique("list");
  private static final String GOOD = unique("good");
  private static final WorkflowType<String, String> HELD =
      WorkflowType.of("held", String.class, String.class);
  private static String failedId = "";

  @BeforeAll
  static void threeRuns() throws Exception {
    var client = SERVER.client();
    var greeted =
        client.start(ServerAtWork.GREET).id(GOOD).input("Ada").label("test", LABEL).send();
    var failed = client.start(ServerAtWork.CHARGE).input(LABEL).label("test", LABEL).send();
    var napping = client.start(ServerAtWork.NAP).input("x").label("test", LABEL).send();
    greeted.result(Duration.ofSeconds(30));
    failedId = failed.runId();
    assertThat(SERVER.kagzi("wf", "result", failedId, "--timeout", "30s").code()).isEqualTo(5);
    SERVER.awaitStatus(napping.runId(), "SLEEPING");
  }

  private static Recorded list(String... flags) {
    return SERVER.kagzi(join(new String[] {"wf", "list", "--label", "test=" + LABEL}, flags));
  }

  private static String[] join(String[] one, String[] other) {
    var all = Arrays.copyOf(one, one.length + other.length);
    System.arraycopy(other, 0, all, one.length, other.length);
    return all;
  }

  @Test
  void listsNewestFirstWithTheFailure() {
    var listed = list();

    assertThat(listed.code()).as(listed.err()).isZero();
    assertThat(listed.out())
        .containsPattern("RUN +TYPE +ID +STATUS +FAILED STEP +ERROR +ATTEMPTS +STARTED +TOOK")
        .containsPattern("[0-9a-f]{8} +nap +– +SLEEPING \\(sleep\\) +– +– +1 +\\d+s ago")
        .containsPattern(
            failedId.substring(28)
                + " +charge-card +– +FAILED +charge +IllegalStateException: card declined: "
                + LABEL)
        .containsPattern("greet +" + GOOD + " +COMPLETED")
        .contains("3 of 3 runs");
    assertThat(listed.out().indexOf("nap")).isLessThan(listed.out().indexOf("greet"));
  }

  @ParameterizedTest
  @CsvSource({
    "--status failed, charge-card",
    "--status sleeping, nap",
    "--type greet, greet",
    "--failed-step charge, charge-card",
    "--error DECLINED, charge-card",
    "--error-type IllegalStateException, charge-card",
    "--waiting-for sleep, nap",
    "--finished-since 1h --status completed, greet",
    "--finished-until 0s --status completed, greet",
    "--error-kind unknown, charge-card",
    "--queue shop --status sleeping, nap",
  })
  void filters(String flags, String type) {
    var listed = list(flags.split(" ", -1));

    assertThat(listed.code()).as(listed.err()).isZero();
    assertThat(listed.out()).contains("1 of 1 run\n", type);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"--finished-until 1h", "--error-kind timeout", "--queue x", "--version 0"})
  void leavesOutWhatDoesNotMatch(String flags) {
    assertThat(list(flags.split(" ", -1)).done()).contains("0 of 0 runs");
  }

  @Test
  void filtersByVersionWithAndWithoutOne() {
    var queue = unique("versions");
    SERVER.done("wf", "start", "greet", "--queue", queue);
    var second = SERVER.done("wf", "start", "greet", "--queue", queue, "--version", "2");

    assertThat(SERVER.done("wf", "count", "--queue", queue)).isEqualTo("2\n");
    assertThat(SERVER.done("wf", "count", "--queue", queue, "--version", "")).isEqualTo("1\n");
    assertThat(SERVER.done("wf", "list", "--queue", queue, "--version", "2", "-o", "ids"))
        .isEqualTo(second);
  }

  @Test
  void filtersByAParentThatIsNamedInAnyWay() throws Exception {
    var id = unique("parent");
    var parent = SERVER.client().start(ServerAtWork.FAMILY).id(id).input("Ada").send();
    parent.result(Duration.ofSeconds(30));

    for (var name : List.of(parent.runId(), id, parent.runId().substring(28))) {
      assertThat(SERVER.done("wf", "list", "--parent", name)).contains("1 of 1 run\n", "greet");
    }
    assertThat(SERVER.kagzi("wf", "list", "--parent", unique("missing")).code()).isEqualTo(4);
  }

  @Test
  void filtersByAScheduleThatIsNamedInAnyWay() {
    var name = unique("yearly");
    var schedule =
        SERVER
            .done(
                "schedule",
                "create",
                "greet",
                "0 0 1 1 *",
                "--name",
                name,
                "--input",
                "\"Ada\"",
                "-o",
                "ids")
            .strip();
    var run = SERVER.done("schedule", "trigger", name);

    for (var meant : List.of(schedule, name, schedule.substring(28))) {
      assertThat(SERVER.done("wf", "list", "--schedule", meant, "-o", "ids")).isEqualTo(run);
    }
    assertThat(SERVER.kagzi("wf", "list", "--schedule", unique("missing")).err())
        .contains("kagzi schedule list shows them");
  }

  @Test
  void filtersByAWorkerThatIsNamedInAnyWay() throws InterruptedException {
    var queue = unique("held");
    var begun = new CountDownLatch(1);
    var release = new CountDownLatch(1);
    try (var worker =
        Worker.builder(SERVER.address(), queue)
            .register(
                HELD,
                (ctx, input) ->
                    ctx.step(
                        "hold",
                        String.class,
                        () -> {
                          begun.countDown();
                          release.await();
                          return input;
                        }))
            .build()) {
      worker.start();
      var run = SERVER.client().start(HELD).queue(queue).input("x").send().runId();
      assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
      var id = worker.workerId().orElseThrow();

      for (var meant : List.of(id, id.substring(28))) {
        assertThat(SERVER.done("wf", "list", "--worker", meant, "-o", "ids")).isEqualTo(run + "\n");
      }
      assertThat(SERVER.kagzi("wf", "count", "--worker", "ffffffff").code()).isEqualTo(4);
      release.countDown();
    }
  }

  @Test
  void filtersByTime() {
    assertThat(list("--since", "1h").out()).contains("3 of 3 runs");
    assertThat(list("--until", "2020-01-01").out()).contains("0 of 0 runs");
    assertThat(list("--since", "2020-01-01T00:00:00Z").out()).contains("3 of 3 runs");
    assertThat(list("--since", "yesterday").err())
        .contains("--since: 'yesterday' (expected: a time like 1h");
  }

  @Test
  void printsWhatPipesAndProgramsNeed() {
    assertThat(list("-o", "ids").out().lines()).hasSize(3).contains(failedId);
    assertThat(list("-o", "jsonl").out().lines())
        .hasSize(3)
        .allMatch(it -> it.startsWith("{\"runId\""));
    assertThat(list("-o", "json", "--payloads").out())
        .startsWith("{\n  \"runs\": [{")
        .contains("\"status\": \"WORKFLOW_STATUS_FAILED\"", "\"json\": \"\\\"Ada\\\"\"");
    assertThat(list("--limit", "2").out()).contains("2 of 3 runs");
  }

  @Test
  void refusesAWordItDoesNotKnow() {
    var refused = list("--status", "faild");

    assertThat(refused.code()).isEqualTo(2);
    assertThat(refused.err()).contains("--status: unknown word 'faild', did you mean 'failed'?");
    assertThat(list("--status", "x").err())
        .contains(
            "(expected: pending, running, sleeping, completed, failed, cancelled, timed-out)");
  }

  @ParameterizedTest
  @CsvSource({"list, Paused", "count, SCHEDULED", "cancel, paused", "retry, scheduled"})
  void sendsWhoAsksForAStateOfSchedulesThere(String verb, String state) {
    var refused = SERVER.kagzi("wf", verb, "--status", "failed," + state);

    assertThat(refused.code()).isEqualTo(2);
    assertThat(refused.err())
        .isEqualTo(
            "kagzi: --status: '%s' is a state of schedules and never one of runs;".formatted(state)
                + " try: kagzi schedule list --status %s%n"
                    .formatted(state.toLowerCase(Locale.ROOT)));
    assertThat(SERVER.kagzi("wf", verb, "--status", "schedulet").err())
        .contains("unknown word 'schedulet' (expected: pending");
  }

  @Test
  void counts() {
    var only = "test=" + LABEL;

    assertThat(SERVER.done("wf", "count", "--label", only)).isEqualTo("3\n");
    assertThat(SERVER.done("wf", "count", "--label", only, "--group-by", "status"))
        .containsPattern("RUNS +STATUS +NEWEST")
        .containsPattern("1 +FAILED +" + failedId.substring(28))
        .contains("3 in all");
    assertThat(SERVER.done("wf", "count", "--label", only, "--group-by", "error"))
        .containsPattern("1 +.*IllegalStateException.*charge");
    assertThat(SERVER.kagzi("wf", "count", "--label", only, "--group-by", "colour").code())
        .isEqualTo(2);
  }
}
