package dev.kagzi.engine.operation;

import static dev.kagzi.engine.TestEngine.NAMESPACE;
import static dev.kagzi.engine.TestEngine.payload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.engine.TestEngine;
import dev.kagzi.engine.domain.ListedType;
import dev.kagzi.engine.domain.StartRequest;
import dev.kagzi.engine.domain.TypeVersion;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.store.TypeStore;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WorkflowTypesTest {

  private TestEngine kagzi;
  private WorkflowTypes types;

  @BeforeEach
  void start() {
    kagzi = TestEngine.start();
    types = kagzi.engine().workflowTypes();
  }

  @AfterEach
  void stop() {
    kagzi.close();
  }

  @Test
  void showsEachVersionThatIsServedOrUsed() {
    WorkerId gone = kagzi.registerWorker(List.of(new TypeVersion("bill", "1")));
    kagzi.registerWorker(List.of(new TypeVersion("bill", "2"), new TypeVersion("ship", "")));
    kagzi.registerWorker(List.of(new TypeVersion("bill", "2")));
    kagzi.engine().workers().deregister(NAMESPACE, gone);
    startRunOf("bill");
    startRunOf("bill");
    startRunOf("never-registered");

    List<ListedType> found = types.list(NAMESPACE, null, 10, "").types();

    assertThat(found)
        .extracting(ListedType::workflowType)
        .containsExactly("bill", "never-registered", "ship");
    assertThat(found.get(0).defaultVersion()).isEqualTo("1");
    assertThat(found.get(0).homeQueue()).isEqualTo("orders");
    assertThat(lines(found.get(0)))
        .containsExactly("1: 0 workers, 2 runs, registered", "2: 2 workers, 0 runs, registered");
    assertThat(found.get(1).homeQueue()).isEmpty();
    assertThat(lines(found.get(1))).containsExactly(": 0 workers, 1 runs, unknown");
    assertThat(lines(found.get(2))).containsExactly(": 1 workers, 0 runs, registered");
    assertThat(types.list(NAMESPACE, "bill", 10, "").types()).containsExactly(found.get(0));
    assertThat(types.list(NAMESPACE, "nothing", 10, "").types()).isEmpty();
  }

  private void startRunOf(String type) {
    kagzi
        .engine()
        .workflows()
        .start(StartRequest.of(NAMESPACE, type).taskQueue("orders").input(payload("1")).build());
  }

  private static List<String> lines(ListedType type) {
    return type.versions().stream()
        .map(version ->
            "%s: %d workers, %d runs, %s"
                .formatted(
                    version.version(),
                    version.workersOnline(),
                    version.liveRuns(),
                    version.firstRegisteredAt() == null ? "unknown" : "registered"))
        .toList();
  }

  @Test
  void showsEveryTypeOnceOnPagesOfAnySize() {
    kagzi.registerWorker(
        List.of(new TypeVersion("a", "1"), new TypeVersion("c", "1"), new TypeVersion("c", "2")));
    startRunOf("b");
    startRunOf("d");

    for (int size = 1; size <= 4; size++) {
      List<String> found = new ArrayList<>();
      String token = "";
      do {
        WorkflowTypes.Listed page = types.list(NAMESPACE, null, size, token);
        page.types().forEach(type -> found.add(type.workflowType() + type.versions().size()));
        token = page.nextPageToken();
      } while (!token.isEmpty());
      assertThat(found).containsExactly("a1", "b1", "c2", "d1");
    }
  }

  @Test
  void readsEachWorkerOnceHoweverManyTypesThereAre() {
    registerTypes(50);
    leaveWorkers(2000, "type-1", "1");
    kagzi.execute("ANALYZE kagzi.workflow_types, kagzi.workers, kagzi.workflow_runs");

    // As a server plans it that has listed types a few times.
    long read =
        kagzi
            .database()
            .inTransaction(tx -> {
              tx.query("SELECT set_config('plan_cache_mode', 'force_generic_plan', true) AS now")
                  .only(row -> row.text("now"));
              assertThat(new TypeStore().list(tx, NAMESPACE, null, true, "", 51)).hasSize(50);
              return tx.query(
                      """
                      SELECT COALESCE(seq_tup_read, 0) + COALESCE(idx_tup_fetch, 0) AS n
                      FROM pg_stat_xact_user_tables WHERE relname = 'workers'
                      """)
                  .only(row -> row.bigint("n"));
            });

    // Once to look for those that are not gone, and once for those that are.
    assertThat(read).isBetween(2000L, 4000L);
  }

  @Test
  void looksAtAllWorkersThatLiveAndAtTheNewestThatAreGone() {
    kagzi.registerWorker(List.of(new TypeVersion("bill", "alive")));
    leaveWorkers(1, "bill", "long-ago");
    leaveWorkers(10_000, "bill", "lately");

    List<ListedType> found = types.list(NAMESPACE, null, 10, "").types();

    assertThat(lines(found.get(0)))
        .containsExactly(
            "alive: 1 workers, 0 runs, registered", "lately: 0 workers, 0 runs, registered");
  }

  private void registerTypes(int count) {
    kagzi.execute(
        """
        INSERT INTO kagzi.workflow_types (
          namespace_id, workflow_type, default_version, home_queue, created_at, updated_at)
        SELECT 'default', 'type-' || i, '', 'orders', now(), now()
        FROM generate_series(1, %d) AS i
        """
            .formatted(count));
  }

  /** Workers that have come and gone, each later than all before. */
  private void leaveWorkers(int count, String type, String version) {
    kagzi.execute(
        """
        INSERT INTO kagzi.workers (
          worker_id, namespace_id, task_queue, status, hostname, pid, instance_id, workflow_types,
          versions, max_concurrent, registered_at, last_heartbeat_at)
        SELECT ('f' || lpad(to_hex((SELECT count(*) FROM kagzi.workers) + i), 31, '0'))::uuid,
               'default', 'orders', 'OFFLINE', 'host', i, i::text, ARRAY['%s'], ARRAY['%s'], 1,
               now(), now()
        FROM generate_series(1, %d) AS i
        """
            .formatted(type, version, count));
  }
}
