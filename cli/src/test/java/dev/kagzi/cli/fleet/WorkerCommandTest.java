package dev.kagzi.cli.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.cli.Recorded;
import dev.kagzi.cli.ServerAtWork;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Starts workers on a queue that others count the workers of. */
@Isolated
class WorkerCommandTest {
  private static final ServerAtWork SERVER = ServerAtWork.shared();

  private static Recorded kagzi(String... arguments) {
    return SERVER.kagzi(arguments);
  }

  private static String done(String... arguments) {
    return SERVER.done(arguments);
  }

  @Test
  void listsWorkersAndShowsOne() {
    var ids = done("worker", "list", "--queue", "shop", "-o", "ids").lines().toList();

    var listed = kagzi("worker", "list", "--queue", "shop", "--status", "online");
    var shown = kagzi("worker", "show", ids.getFirst().substring(28));

    assertThat(listed.code()).as(listed.err()).isZero();
    assertThat(listed.out())
        .containsPattern("WORKER +QUEUE +STATUS +HOST +PID +VERSION +SLOTS")
        .containsPattern(ids.getFirst().substring(28) + " +shop +ONLINE .* 1\\.2\\.3 +\\d+/\\d+");
    assertThat(shown.code()).as(shown.err()).isZero();
    assertThat(shown.out())
        .contains("worker " + ids.getFirst(), "ONLINE", "queue shop", "version 1.2.3")
        .contains("serves ", "greet", "charge-card")
        .containsPattern("WHEN +EVENT")
        .contains("started");
    assertThat(done("worker", "list", "--queue", "nobodys")).contains("0 workers");
    assertThat(kagzi("worker", "show", "ffffffff").code()).isEqualTo(4);
  }

  @Test
  void drainsAWorkerAfterAYes() {
    try (var another = SERVER.startWorker()) {
      var id = another.workerId().orElseThrow();

      var refused = kagzi("worker", "drain", id);
      var dry = kagzi("worker", "drain", id, "--dry-run");
      var drained = kagzi("worker", "drain", id, "--yes", "--reason", "new release");

      assertThat(refused.code()).isEqualTo(2);
      assertThat(refused.err()).contains("drain worker " + id + " needs --yes");
      assertThat(dry.done()).contains("\"workerId\": \"" + id + "\"");
      assertThat(drained.code()).as(drained.err()).isZero();
      assertThat(drained.out())
          .containsPattern("worker " + id.substring(28) + " is (DRAINING|OFFLINE)");
      Awaitility.await().until(() -> kagzi("worker", "show", id).out().contains("OFFLINE"));
    }
  }

  @Test
  void takesAWorkerOfflineAtOnceAfterAYes() {
    try (var another = SERVER.startWorker()) {
      var id = another.workerId().orElseThrow();

      var refused = kagzi("worker", "drain", id, "--force");
      var gone = done("worker", "drain", id, "--force", "--yes", "--reason", "it hangs");

      assertThat(refused.code()).isEqualTo(2);
      assertThat(refused.err()).contains("take offline worker " + id + " needs --yes");
      assertThat(gone).contains("worker " + id.substring(28) + " is OFFLINE");
      assertThat(done("worker", "show", id)).contains("OFFLINE", "it hangs");
    }
  }
}
