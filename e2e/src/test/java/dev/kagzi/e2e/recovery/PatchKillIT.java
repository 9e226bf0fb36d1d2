package dev.kagzi.e2e.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.kagzi.e2e.Lanes;
import dev.kagzi.e2e.recovery.PatchProgram.Deploy;
import dev.kagzi.e2e.suite.Deployment;
import dev.kagzi.sdk.client.KagziClient;
import dev.kagzi.sdk.client.WorkflowHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Processes with the code before and after a patch are killed with kill -9 in the midst of runs.
 */
@ResourceLock(Lanes.PROCESSES)
@Tag("soak")
class PatchKillIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration LOOK = Duration.ofMillis(20);

  @TempDir Path folder;

  @Test
  void everyRunKeepsItsWayAcrossCrashesOfTheOldAndTheNewCode() throws Exception {
    try (var home = Deployment.REMOTE.open();
        var client = KagziClient.connect(home.address());
        var before = WorkerProcess.start(folder, home.address(), Deploy.BEFORE)) {
      var records = new Records(home.jdbcUrl());
      var old = start(client, "");
      awaitIn(records, old, "ship");
      before.command().kill();
      try (var after = WorkerProcess.start(folder, home.address(), Deploy.AFTER)) {
        var fresh = start(client, "");
        var checking = start(client, PatchProgram.HELD_IN_CHECK);
        awaitIn(records, fresh, "ship");
        awaitIn(records, checking, "check");
        awaitExecution(old, PatchProgram.SHIP, after);
        after.command().kill();
        try (var again = WorkerProcess.start(folder, home.address(), Deploy.AFTER)) {
          awaitExecution(old, PatchProgram.SHIP, again);
          awaitExecution(fresh, PatchProgram.SHIP, again);
          awaitExecution(checking, PatchProgram.CHECK, again);
          Files.createFile(WorkerProgram.gate(folder));

          assertThat(old.result(PATIENCE)).isEqualTo("unchecked");
          assertThat(fresh.result(PATIENCE)).isEqualTo("checked");
          assertThat(checking.result(PATIENCE)).isEqualTo("checked");
        }
        assertThat(executionsOf(old)).containsExactly(1, 3, 3, 3);
        assertThat(executionsOf(fresh)).containsExactly(1, 2, 3, 3);
        assertThat(executionsOf(checking)).containsExactly(1, 2, 2, 3);
      }
    }
  }

  private static WorkflowHandle<String> start(KagziClient client, String input) {
    return client.start(PatchProgram.TYPE).input(input).queue(WorkerProgram.QUEUE).send();
  }

  /** What is begun and known to be is part of the history, whatever becomes of it. */
  private static void awaitIn(Records records, WorkflowHandle<String> run, String step) {
    await()
        .pollInterval(LOOK)
        .atMost(PATIENCE)
        .until(() -> records.runningSteps(run.runId()).contains(step));
  }

  private void awaitExecution(WorkflowHandle<String> run, int step, WorkerProcess worker) {
    await()
        .pollInterval(LOOK)
        .atMost(PATIENCE)
        .until(() ->
            Ledger.in(folder)
                .entries()
                .contains(new Ledger.Entry(run.runId(), step, worker.pid())));
  }

  private List<Integer> executionsOf(WorkflowHandle<String> run) throws Exception {
    return Ledger.in(folder).entries().stream()
        .filter(entry -> entry.run().equals(run.runId()))
        .map(Ledger.Entry::step)
        .toList();
  }
}
