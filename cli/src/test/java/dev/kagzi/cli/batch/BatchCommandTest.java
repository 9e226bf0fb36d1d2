package dev.kagzi.cli.batch;

import static dev.kagzi.cli.ServerAtWork.unique;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.cli.Recorded;
import dev.kagzi.cli.ServerAtWork;
import org.junit.jupiter.api.Test;

class BatchCommandTest {
  private static final ServerAtWork SERVER = ServerAtWork.shared();

  private final String label = unique("batch");

  private static Recorded kagzi(String... arguments) {
    return SERVER.kagzi(arguments);
  }

  private static String done(String... arguments) {
    return SERVER.done(arguments);
  }

  private void startTwoNaps() {
    for (var i = 0; i < 2; i++) {
      SERVER.client().start(ServerAtWork.NAP).input("x").label("test", label).send();
    }
  }

  @Test
  void listsAndShowsWhatWasDone() {
    startTwoNaps();
    var done =
        kagzi("wf", "cancel", "--label", "test=" + label, "--yes", "--reason", label, "-o", "ids");
    var batch = done.out().strip();

    var shown = kagzi("batch", "show", batch.substring(28));

    assertThat(done("batch", "list", "--status", "completed"))
        .containsPattern("BATCH +OPERATION +STATUS +DONE")
        .containsPattern(batch.substring(28) + " +cancel +COMPLETED +2 +2 +0 +0 .*" + label);
    assertThat(shown.code()).as(shown.err()).isZero();
    assertThat(shown.out())
        .contains("2 of 2 done", "COMPLETED", "id  " + batch, "reason  " + label)
        .containsPattern("(?m)^  [0-9a-f]{8} +SUCCEEDED");
    assertThat(done("batch", "show", batch, "--result", "failed")).doesNotContain("SUCCEEDED");
    assertThat(done("batch", "list", "-o", "ids")).contains(batch + "\n");
  }

  @Test
  void stopsABatchThatIsUnderWay() {
    startTwoNaps();
    var slow =
        kagzi("wf", "cancel", "--label", "test=" + label, "--yes", "--rate", "0.01", "--detach");
    var batch = slow.out().replaceFirst("batch ([0-9a-f]{8}) .*\n", "$1");

    var stopped = kagzi("batch", "cancel", batch, "--reason", "wrong filter");

    assertThat(slow.code()).as(slow.err()).isZero();
    assertThat(stopped.code()).as(stopped.err()).isZero();
    assertThat(stopped.out()).containsPattern("batch " + batch + "  cancel  [01] of 2 done");
    assertThat(done("batch", "show", batch, "-w")).contains("CANCELLED");
  }

  @Test
  void saysThatThereIsNoSuchBatch() {
    var missing = kagzi("batch", "show", "ffffffff");

    assertThat(missing.code()).isEqualTo(4);
    assertThat(missing.err()).contains("no batch 'ffffffff'; kagzi batch list shows them");
  }
}
