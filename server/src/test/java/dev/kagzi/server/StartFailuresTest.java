package dev.kagzi.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.engine.jdbc.DatabaseException;
import dev.kagzi.server.config.ServerConfig;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class StartFailuresTest {

  private final ServerConfig config =
      TestServer.settings("jdbc:postgresql://pooler:6432/runs").build();

  @Test
  void aPoolerThatRefusesTheConnectionIsNotCalledUnreachable() {
    var refused =
        new SQLException("FATAL: unsupported startup parameter in options: lock_timeout", "08P01");
    var noConnection = new SQLException("request timed out after 1000ms", "08001", refused);

    var explained =
        new StartFailures(config)
            .explain(new DatabaseException("no database connection", noConnection));

    assertThat(explained)
        .hasMessageContaining("pooler:6432")
        .hasMessageContaining("database.direct_url")
        .hasMessageNotContaining("cannot be reached");
  }
}
