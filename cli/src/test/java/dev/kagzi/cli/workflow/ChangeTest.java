package dev.kagzi.cli.workflow;

import static dev.kagzi.cli.ServerAtWork.unique;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.cli.Recorded;
import dev.kagzi.cli.ServerAtWork;
import dev.kagzi.cli.shell.Terminal;
import org.junit.jupiter.api.Test;

/** What changes runs: cancel, retry, delete, fork, send; by name and by filter. */
class ChangeTest {
  private static final ServerAtWork SERVER = ServerAtWork.shared();
  private static final Terminal PERSON = new Terminal(true, true, true);

  private final String id = unique("change");

  private static Recorded kagzi(String... arguments) {
    return SERVER.kagzi(arguments);
  }

  private static String done(String... arguments) {
    return SERVER.done(arguments);
  }

  private static void await(String run, int code) {
    assertThat(kagzi("wf", "result", run, "--timeout", "30s").code()).isEqualTo(code);
  }

  private String napping(String label) {
    return SERVER
        .client()
        .start(ServerAtWork.NAP)
        .id(unique(id))
        .input("x")
        .label("test", label)
        .send()
        .runId();
  }

  @Test
  void cancelsARunByName() {
    var run = napping(id);

    var dry = kagzi("wf", "cancel", run, "--dry-run");
    var cancelled = kagzi("wf", "cancel", run, "--reason", "ordered twice");
    var again = kagzi("wf", "cancel", run);

    assertThat(dry.done()).isEqualTo("would cancel " + run + "\n");
    assertThat(cancelled.code()).as(cancelled.err()).isZero();
    assertThat(cancelled.out()).containsPattern("[0-9a-f]{8}  nap  cancelled");
    assertThat(done("wf", "show", run)).contains("CANCELLED", "ordered twice");
    assertThat(again.code()).isZero();
  }

  @Test
  void manyRunsNeedAYes() {
    var one = napping(id);
    var two = napping(id);

    var refused = kagzi("wf", "cancel", one, two);
    var asked = SERVER.typing("yes\n", PERSON, "wf", "cancel", one, two, unique("missing"));

    assertThat(refused.code()).isEqualTo(2);
    assertThat(refused.err()).contains("cancel 2 runs needs --yes");
    assertThat(asked.code()).isEqualTo(4);
    assertThat(asked.err()).contains("cancel 3 runs? [y/N]", "no run 'missing-");
    assertThat(asked.err().lines()).contains("kagzi: try: kagzi wf list");
    assertThat(asked.out().lines().filter(line -> line.endsWith("  nap  cancelled"))).hasSize(2);
  }

  @Test
  void readsIdsFromAPipe() {
    SERVER.client().start(ServerAtWork.CHARGE).id(id).input(id).label("test", id).send();
    await(id, 5);
    SERVER.heal(id);
    var ids = kagzi("wf", "list", "--status", "failed", "--label", "test=" + id, "-o", "ids").out();

    var refused = SERVER.typing(ids, Terminal.NONE, "wf", "retry", "-");
    var retried = SERVER.typing(ids, Terminal.NONE, "wf", "retry", "-", "--yes", "--reason", "x");

    assertThat(refused.code()).isEqualTo(2);
    assertThat(retried.code()).as(retried.err()).isZero();
    assertThat(retried.out()).contains("charge-card  retried from charge");
    await(id, 0);
    var refusedNow = kagzi("wf", "retry", id);
    assertThat(refusedNow.code()).isEqualTo(1);
    assertThat(refusedNow.err()).contains("kagzi: " + id + ": ");
  }

  @Test
  void aFilterStartsABatch() {
    napping(id);
    napping(id);
    var filter = "test=" + id;

    var dry = kagzi("wf", "cancel", "--label", filter, "--dry-run");
    var refused = kagzi("wf", "cancel", "--label", filter);
    var done = kagzi("wf", "cancel", "--label", filter, "--yes", "--reason", "INC-31");

    assertThat(dry.done()).isEqualTo("would cancel 2 runs\n");
    assertThat(refused.code()).isEqualTo(2);
    assertThat(refused.err()).contains("cancel 2 runs needs --yes");
    assertThat(done.code()).as(done.err()).isZero();
    assertThat(done.out()).matches("batch [0-9a-f]{8}  cancel  2 of 2 done\n");
    assertThat(done("wf", "count", "--label", filter, "--status", "cancelled")).isEqualTo("2\n");
    assertThat(done("wf", "cancel", "--label", filter, "--yes")).contains("would cancel 0");
  }

  @Test
  void aNamedRunAndAFilterTogetherAreRefused() {
    assertThat(kagzi("wf", "cancel", id, "--type", "nap").err())
        .contains("name runs or select them by flags, not both");
    var nothing = kagzi("wf", "cancel");
    assertThat(nothing.code()).isEqualTo(2);
    assertThat(nothing.err()).contains("cancel what? (expected: runs, -, or a filter");
  }

  @Test
  void deletesEndedRunsOnly() {
    var ended = kagzi("run", "greet", "\"x\"", "--detach").out().strip();
    await(ended, 0);
    var live = napping(id);

    var unasked = kagzi("wf", "delete", ended);
    var deleted = done("wf", "delete", ended, "--yes");
    var refused = kagzi("wf", "delete", live, "--yes");

    assertThat(unasked.code()).isEqualTo(2);
    assertThat(deleted).contains("  deleted");
    assertThat(kagzi("wf", "show", ended).code()).isEqualTo(4);
    assertThat(refused.code()).isEqualTo(1);
    kagzi("wf", "cancel", live);
  }

  @Test
  void terminatesOnlyAfterAYes() {
    var run = napping(id);

    assertThat(kagzi("wf", "cancel", run, "--terminate").err()).contains("terminate 1 run needs");
    assertThat(done("wf", "cancel", run, "--terminate", "--yes")).contains("cancelled");
  }

  @Test
  void forksFromAStep() {
    SERVER.client().start(ServerAtWork.CHARGE).id(id).input(id).send();
    await(id, 5);
    SERVER.heal(id);

    var wrong = kagzi("wf", "fork", id, "--from", "chrage");
    var forked = kagzi("wf", "fork", id, "--from", "charge", "--id", id + "-again");

    assertThat(wrong.code()).isEqualTo(2);
    assertThat(wrong.err()).contains("reserve", "charge");
    assertThat(forked.code()).as(forked.err()).isZero();
    assertThat(forked.err()).contains("copied 1 settled step\n");
    assertThat(kagzi("wf", "result", id + "-again", "--timeout", "30s").out())
        .isEqualTo("\"paid with " + id + "\"\n");
    assertThat(forked.out().strip()).hasSize(36);
    assertThat(done("wf", "fork", id, "--from", "start", "--dry-run")).contains("\"runId\": ");
  }

  @Test
  void readsTheRunOfAnEventOrAForkFromAPipe() {
    SERVER.client().start(ServerAtWork.APPROVE).id(id).input("order").send();

    var both = SERVER.typing(id + "\n", Terminal.NONE, "wf", "send", "-", "approved", "-");
    var sent = SERVER.typing(id + "\n", Terminal.NONE, "wf", "send", "-", "approved", "\"Eve\"");

    assertThat(both.code()).isEqualTo(2);
    assertThat(both.err()).contains("the payload is empty");
    assertThat(sent.done()).contains("event approved delivered to ");
    await(id, 0);
    assertThat(
            SERVER
                .typing(id + "\n", Terminal.NONE, "wf", "fork", "-", "--from", "start", "--dry-run")
                .done())
        .contains("\"runId\": ");
  }

  @Test
  void sendsAnEvent() {
    SERVER.client().start(ServerAtWork.APPROVE).id(id).input("order").send();

    var sent = done("wf", "send", id, "approved", "\"by Eve\"", "--key", "k1");
    var again = kagzi("wf", "send", id, "approved", "\"by Eve\"", "--key", "k1", "--dry-run");

    assertThat(sent).matches("event approved delivered to [0-9a-f]{8}\n");
    assertThat(again.done()).contains("\"idempotencyKey\": \"k1\"");
    assertThat(kagzi("wf", "result", id, "--timeout", "30s").out()).isEqualTo("\"order by Eve\"\n");
    assertThat(kagzi("wf", "send", id, "approved", "{oops").err())
        .contains("the payload is not JSON");
  }
}
