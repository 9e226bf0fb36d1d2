package dev.kagzi.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kagzi.postgres.SharedPostgres;
import dev.kagzi.v1.StartWorkflowRequest;
import dev.kagzi.v1.WorkflowServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

/** The database users that the documentation tells operators to make, made as it says. */
class LeastPrivilegeTest {

  private static final Path OPERATIONS = Path.of("..", "docs", "operations.md");

  @Test
  void aServerNeedsNothingButItsOwnSchema() throws Exception {
    String url = SharedPostgres.freshDatabase();
    execute(url, documented());

    startARun(as("kagzi_app", url));

    try (Connection reader = DriverManager.getConnection(as("kagzi_read", url));
        Statement statement = reader.createStatement()) {
      assertThat(runs(statement)).isEqualTo(1);
      assertDenied(statement, "DELETE FROM kagzi.workflow_runs");
    }
    try (Connection app = DriverManager.getConnection(as("kagzi_app", url));
        Statement statement = app.createStatement()) {
      assertDenied(statement, "CREATE TABLE public.mine (id int)");
      assertDenied(statement, "CREATE ROLE another");
    }
  }

  private static String documented() throws IOException {
    String page = Files.readString(OPERATIONS);
    int begin = page.indexOf("```sql\n") + "```sql\n".length();
    return page.substring(begin, page.indexOf("```", begin));
  }

  private static String as(String user, String url) {
    return url.replaceAll("user=[a-z]+", "user=" + user);
  }

  private static void startARun(String url) {
    try (KagziServer server = KagziServer.start(TestServer.settings(url).build())) {
      ManagedChannel channel =
          NettyChannelBuilder.forAddress("127.0.0.1", server.grpcPort()).usePlaintext().build();
      try {
        var run =
            WorkflowServiceGrpc.newBlockingStub(channel)
                .startWorkflow(StartWorkflowRequest.newBuilder().setWorkflowType("any").build());
        assertThat(run.getRunId()).isNotEmpty();
      } finally {
        channel.shutdownNow();
      }
    }
  }

  private static long runs(Statement statement) throws SQLException {
    try (ResultSet counted = statement.executeQuery("SELECT count(*) FROM kagzi.workflow_runs")) {
      counted.next();
      return counted.getLong(1);
    }
  }

  private static void assertDenied(Statement statement, String sql) {
    assertThatThrownBy(() -> statement.execute(sql))
        .isInstanceOfSatisfying(
            SQLException.class, denied -> assertThat(denied.getSQLState()).isEqualTo("42501"));
  }

  private static void execute(String url, String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
