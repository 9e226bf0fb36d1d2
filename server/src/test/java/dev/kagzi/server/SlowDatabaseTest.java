package dev.kagzi.server;

import static dev.kagzi.server.Wire.aStart;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.kagzi.postgres.SharedPostgres;
import dev.kagzi.server.config.ConfigKeys;
import dev.kagzi.server.config.DatabaseUrl;
import dev.kagzi.v1.ListWorkflowTypesRequest;
import io.grpc.StatusRuntimeException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A statement that the database gives up is told as what it is, and not as a fault of ours. */
class SlowDatabaseTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final String url = SharedPostgres.freshDatabase();

  @Test
  void callersAreToldToAskAgainLater() throws SQLException {
    try (TestServer server =
            TestServer.start(
                settings -> settings.set(ConfigKeys.DATABASE_URL, DatabaseUrl.parse(url)));
        Connection admin = DriverManager.getConnection(url)) {
      String read =
          verdictWhileLocked(
              admin,
              "workflow_types",
              () ->
                  server.admin().listWorkflowTypes(ListWorkflowTypesRequest.newBuilder().build()));
      String written =
          verdictWhileLocked(
              admin, "workflow_payloads", () -> server.workflows().startWorkflow(aStart().build()));

      assertThat(read).isEqualTo("RESOURCE_EXHAUSTED DATABASE_TOO_SLOW, again after 5 s");
      assertThat(written).isEqualTo(read);
      assertThat(server.workflows().startWorkflow(aStart().build()).getRunId()).isNotEmpty();
    }
  }

  /** What is answered to a call whose statement waits for a table until it is cancelled. */
  private static String verdictWhileLocked(Connection admin, String table, Runnable call)
      throws SQLException {
    admin.setAutoCommit(false);
    execute(admin, "LOCK TABLE kagzi." + table + " IN ACCESS EXCLUSIVE MODE");
    CompletableFuture<String> verdict = CompletableFuture.supplyAsync(() -> verdictOf(call));
    await()
        .atMost(PATIENCE)
        .until(() -> {
          execute(
              admin,
              """
              SELECT pg_cancel_backend(pid) FROM pg_stat_activity
              WHERE datname = current_database() AND wait_event_type = 'Lock'
              """);
          return verdict.isDone();
        });
    admin.rollback();
    return verdict.join();
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String verdictOf(Runnable call) {
    try {
      call.run();
      return "OK";
    } catch (StatusRuntimeException refusal) {
      return Wire.verdict(refusal)
          + ", again after "
          + Wire.retryDelay(refusal).getSeconds()
          + " s";
    }
  }
}
