package dev.kagzi.e2e.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.kagzi.e2e.Lanes;
import dev.kagzi.postgres.SharedPostgres;
import dev.kagzi.sdk.client.KagziClient;
import dev.kagzi.sdk.client.WorkflowHandle;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Servers are killed with kill -9 while parents wait for their children: the end of a child and the
 * waking of its parent are one, so that no parent is left asleep.
 */
@ResourceLock(Lanes.PROCESSES)
class ChildKillIT {
  private static final int PARENTS = 200;
  private static final int KILLS = 4;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  @TempDir Path folder;
  private final String database = SharedPostgres.freshDatabase();

  @Test
  @Tag("soak")
  void everyParentGetsTheResultOfItsOnlyChildWheneverServersAreKilled() throws Exception {
    try (var one = ServerProcess.start(folder, database);
        var two = ServerProcess.start(folder, database)) {
      var servers = one.address() + "," + two.address();
      try (var client = KagziClient.connect(servers);
          var here = WorkerProcess.start(folder, servers);
          var there = WorkerProcess.start(folder, two.address() + "," + one.address())) {
        List<WorkflowHandle<Integer>> handles = new ArrayList<>();
        for (int kill = 1; kill <= KILLS; kill++) {
          int before = handles.size();
          int upTo = kill * PARENTS / KILLS;
          while (handles.size() < upTo) {
            handles.add(start(client, handles.size()));
          }
          awaitChildren(ThreadLocalRandom.current().nextInt(before, upTo));
          var doomed = kill % 2 == 1 ? one : two;
          doomed.kill();
          doomed.startAgain();
        }
        check(handles);
        assertThat(new Records(database).onlineWorkers())
            .containsExactlyInAnyOrder(here.workerId(), there.workerId());
      }
      Figures.print("child_kill.parents", PARENTS);
      Figures.print("child_kill.kills", KILLS);
    }
  }

  private static WorkflowHandle<Integer> start(KagziClient client, int number) {
    return client.start(MapProgram.PARENT).input(number).queue(WorkerProgram.QUEUE).send();
  }

  private void awaitChildren(int begun) {
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(5))
        .until(() -> Ledger.in(folder).entries().size() >= begun);
  }

  private void check(List<WorkflowHandle<Integer>> handles) throws Exception {
    for (int number = 0; number < handles.size(); number++) {
      assertThat(handles.get(number).result(PATIENCE)).isEqualTo(number);
    }
    assertThat(new Records(database).childrenAndParents())
        .containsExactly((long) PARENTS, (long) PARENTS);
    assertThat(Ledger.in(folder).repeatedAfterAcknowledgement()).isEmpty();
    Figures.print("child_kill.executions_repeated", Ledger.in(folder).repeated().size());
  }
}
