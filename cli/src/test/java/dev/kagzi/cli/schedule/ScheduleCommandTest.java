package dev.kagzi.cli.schedule;

import static dev.kagzi.cli.ServerAtWork.unique;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.cli.Recorded;
import dev.kagzi.cli.ServerAtWork;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScheduleCommandTest {
  private static final ServerAtWork SERVER = ServerAtWork.shared();

  /** Far enough away that nothing fires by itself while the tests run. */
  private static final String YEARLY = "0 0 1 1 *";

  private final String name = unique("nightly");

  private static Recorded kagzi(String... arguments) {
    return SERVER.kagzi(arguments);
  }

  private static String done(String... arguments) {
    return SERVER.done(arguments);
  }

  private String create(String... flags) {
    var words = new ArrayList<>(List.of("schedule", "create", "greet", YEARLY));
    words.addAll(List.of("--name", name, "--input", "\"Ada\"", "-o", "ids"));
    words.addAll(List.of(flags));
    var created = kagzi(words.toArray(String[]::new));
    assertThat(created.code()).as(created.err()).isZero();
    return created.out().strip();
  }

  @Test
  void createsListsAndShowsASchedule() {
    var id = create("--timezone", "Europe/Berlin", "--overlap", "skip", "--label", "team=shop");

    var shown = kagzi("cron", "show", name);

    assertThat(done("schedule", "list", "--limit", "1000"))
        .containsPattern("SCHEDULE +NAME +TYPE +STATUS +CRON +ZONE +NEXT")
        .containsPattern(id.substring(28) + " +" + name + " +greet +SCHEDULED +0 0 1 1 \\*");
    assertThat(shown.code()).as(shown.err()).isZero();
    assertThat(shown.out())
        .contains(name, id, "SCHEDULED", YEARLY, "Europe/Berlin", "starts    greet", "team=shop")
        .contains("input     \"Ada\"", "overlap   skip   catches up at most 100");
    assertThat(done("schedule", "show", id.substring(28), "-o", "json"))
        .contains("\"scheduleId\": \"" + id + "\"");
  }

  @Test
  void sendsWhoAsksForAStateOfRunsThere() {
    assertThat(kagzi("schedule", "list", "--status", "failed").err())
        .contains("'failed' is a state of runs and never one of schedules")
        .contains("try: kagzi wf list --status failed");
    assertThat(kagzi("schedule", "list", "--status", "pausd").err())
        .contains("unknown word 'pausd', did you mean 'paused'? (expected: scheduled, paused)");
  }

  @Test
  void sayWhatIsWrongWithACronExpression() {
    var bad = kagzi("schedule", "create", "greet", "61 * * * *", "--name", name);

    assertThat(bad.code()).isEqualTo(2);
    assertThat(bad.err()).contains("61");
  }

  @Test
  void aDryRunCreatesNothing() {
    var dry = kagzi("schedule", "create", "greet", YEARLY, "--name", name, "--dry-run");

    assertThat(dry.done()).contains("\"cronExpr\": \"0 0 1 1 *\"");
    assertThat(kagzi("schedule", "show", name).code()).isEqualTo(4);
  }

  @Test
  void updatesWhatIsGivenAndLeavesTheRest() {
    create("--label", "a=1", "--queue", "shop");

    var updated = done("schedule", "update", name, "--cron", "0 0 2 1 *", "--label", "b=2");

    assertThat(updated).contains("schedule " + name + " updated");
    assertThat(done("schedule", "show", name))
        .contains("0 0 2 1 *", "a=1 b=2", "queue shop", "input     \"Ada\"");
  }

  @Test
  void aScheduleThatHasNeverFiredSaysSo() {
    create();

    assertThat(done("schedule", "show", name)).containsPattern("next +in \\d+\\w   last –");
    assertThat(done("schedule", "list", "--limit", "1000"))
        .containsPattern(name + " .* in \\d+\\w +– +–\\n");
  }

  @Test
  void createsAScheduleThatDoesNotFireYet() {
    create("--paused");

    assertThat(done("schedule", "show", name)).contains("PAUSED").containsPattern("next +–");
  }

  @Test
  void pausesAndResumes() {
    create();

    assertThat(done("schedule", "pause", name, "--reason", "month end"))
        .isEqualTo("schedule " + name + " paused\n");
    assertThat(done("schedule", "show", name)).contains("PAUSED   month end");
    assertThat(done("schedule", "list", "--status", "paused", "--limit", "1000")).contains(name);
    assertThat(done("schedule", "list", "--status", "scheduled", "--limit", "1000"))
        .doesNotContain(name + " ");
    assertThat(done("schedule", "resume", name)).contains("resumed, next in");
  }

  @Test
  void triggersARunNow() {
    create();

    var run = kagzi("schedule", "trigger", name);

    assertThat(run.code()).as(run.err()).isZero();
    assertThat(done("wf", "result", run.out().strip(), "--timeout", "30s"))
        .isEqualTo("\"Hello, Ada!\"\n");
    assertThat(done("schedule", "show", name))
        .containsPattern("fired by hand +" + run.out().strip().substring(28) + " +COMPLETED");
  }

  @Test
  void firesWhatWasMissed() {
    create("--paused");
    var times = new String[] {"--since", "2023-06-01", "--until", "2025-06-01"};

    var dry =
        kagzi("schedule", "backfill", name, times[0], times[1], times[2], times[3], "--dry-run");
    var refused = kagzi("schedule", "backfill", name, times[0], times[1], times[2], times[3]);
    var fired = done("schedule", "backfill", name, times[0], times[1], times[2], times[3], "-y");
    var again = done("schedule", "backfill", name, times[0], times[1], times[2], times[3], "-y");

    assertThat(dry.done()).contains("would fire 2 ticks of " + name);
    assertThat(refused.err()).contains("fire 2 ticks of " + name + " needs --yes");
    assertThat(fired).contains("fired 2 ticks of " + name);
    assertThat(again).contains("fired 0 ticks", "2 had been fired before");
  }

  @Test
  void saysWhenItFires() {
    create();

    assertThat(done("schedule", "next", name, "--count", "2"))
        .containsPattern("(?m)^20\\d\\d-01-01T00:00:00Z\n20\\d\\d-01-01T00:00:00Z$");
    assertThat(done("schedule", "next", "--cron", "30 9 * * *", "--count", "3", "-o", "ids"))
        .hasLineCount(3)
        .contains("T09:30:00Z");
    assertThat(kagzi("schedule", "next").code()).isEqualTo(2);
    assertThat(kagzi("schedule", "next", "--cron", "nonsense").code()).isEqualTo(2);
  }

  @Test
  void deletesAfterAYes() {
    create();

    assertThat(kagzi("schedule", "delete", name).err()).contains("needs --yes");
    assertThat(done("schedule", "delete", name, "--yes"))
        .isEqualTo("schedule " + name + " deleted\n");
    var gone = kagzi("schedule", "show", name);
    assertThat(gone.code()).isEqualTo(4);
    assertThat(gone.err()).contains("no schedule '" + name + "'; kagzi schedule list shows them");
  }
}
