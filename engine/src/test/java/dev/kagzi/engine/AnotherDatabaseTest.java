package dev.kagzi.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.kagzi.engine.store.Schema;
import dev.kagzi.postgres.EmbeddedPostgres;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A standby that lagged takes over: it lacks the last of what the engine saw being made. */
class AnotherDatabaseTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @Test
  void whatTheLastOneHadIsMadeAnewWhereItIsMissing(@TempDir Path folder) throws Exception {
    try (EmbeddedPostgres postgres = EmbeddedPostgres.builder(folder).start();
        var pool = TestEngine.open(postgres.jdbcUrl("postgres"))) {
      new Schema(pool).migrate();
      try (TestEngine engine = TestEngine.on(pool)) {
        engine.startRun();
        loseToday(pool);
        assertThatThrownBy(engine::startRun).isNotNull();

        // To an engine, a server that was restarted is another one.
        postgres.restart();

        await()
            .atMost(PATIENCE)
            .ignoreExceptions()
            .untilAsserted(() -> assertThat(engine.startRun()).isNotNull());
      }
    }
  }

  private static void loseToday(DataSource database) throws SQLException {
    String today = LocalDate.now(ZoneOffset.UTC).format(DateTimeFormatter.BASIC_ISO_DATE);
    try (var connection = database.getConnection();
        var statement = connection.createStatement()) {
      for (String parent : List.of("finished_runs", "step_runs", "workflow_payloads")) {
        statement.execute("DROP TABLE kagzi.%s_%s".formatted(parent, today));
      }
    }
  }
}
