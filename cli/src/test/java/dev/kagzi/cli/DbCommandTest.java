package dev.kagzi.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.cli.shell.Terminal;
import dev.kagzi.engine.store.Schema;
import dev.kagzi.postgres.SharedPostgres;
import java.io.InputStream;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DbCommandTest {
  @TempDir Path folder;

  private final String jdbcUrl = SharedPostgres.freshDatabase();

  private Recorded kagzi(String... arguments) {
    return Recorded.run(folder, Map.of("KAGZI_DATABASE_URL", jdbcUrl), arguments);
  }

  @Test
  void bringsTheSchemaUpToDate() {
    var before = kagzi("db", "status");
    var refused = kagzi("db", "check");
    var migrated = kagzi("db", "migrate");

    assertThat(before.code()).as(before.err()).isZero();
    assertThat(before.out())
        .contains("database   PostgreSQL ", "from KAGZI_DATABASE_URL")
        .contains("schema     v0, this Kagzi needs v" + Schema.VERSION)
        .contains("to apply   v1 first schema", "try: kagzi db migrate");
    assertThat(refused.code()).isEqualTo(1);
    assertThat(refused.err()).contains("the schema lacks v1", "kagzi db migrate");
    assertThat(migrated.code()).as(migrated.err()).isZero();
    assertThat(migrated.out()).startsWith("schema v" + Schema.VERSION + " (");
    assertThat(kagzi("db", "migrate").out()).isEqualTo(upToDate());
    assertThat(kagzi("db", "check").out()).isEqualTo(upToDate());
    assertThat(kagzi("db", "status").out()).contains("up to date").doesNotContain("to apply");
  }

  @Test
  void saysWhatItDoesWhileAMigrationWaits() throws SQLException {
    var environment = Map.of("KAGZI_DATABASE_URL", jdbcUrl);
    var person = new Terminal(true, true, true);
    try (var connection = DriverManager.getConnection(jdbcUrl);
        var statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("CREATE SCHEMA kagzi");
      try (var migration =
          Unfinished.start(
              folder, environment, InputStream.nullInputStream(), person, "db", "migrate")) {
        migration.await("bringing the schema up to date");
        connection.rollback();

        assertThat(migration.exitCode()).as(migration.out()).isZero();
        assertThat(migration.out()).contains("schema v" + Schema.VERSION + " (");
      }
    }
  }

  private static String upToDate() {
    return "schema v%d (up to date)%n".formatted(Schema.VERSION);
  }

  @Test
  void printsAScriptThatDoesWhatMigratingWouldDo() throws SQLException {
    var printed = kagzi("db", "migrate", "--print-sql");

    assertThat(printed.code()).as(printed.err()).isZero();
    assertThat(kagzi("db", "check").code()).isEqualTo(1);
    try (var connection = DriverManager.getConnection(jdbcUrl);
        var statement = connection.createStatement()) {
      statement.execute(printed.out());
    }

    assertThat(kagzi("db", "check").out()).isEqualTo(upToDate());
    assertThat(kagzi("db", "migrate").out()).isEqualTo(upToDate());
    assertThat(kagzi("db", "migrate", "--print-sql").out()).isEmpty();
  }

  @Test
  void saysWhatIsWrongWithTheDatabase() {
    var nobody = "postgres://kagzi@127.0.0.1:1/kagzi";

    var missing = Recorded.run(folder, Map.of(), "db", "status");
    var unreachable = kagzi("db", "migrate", "--database-url", nobody);

    assertThat(missing.code()).isEqualTo(2);
    assertThat(missing.err()).contains("database.url");
    assertThat(unreachable.code()).isEqualTo(1);
    assertThat(unreachable.err()).contains("127.0.0.1:1", "cannot be reached", "--database-url");
  }

  @Test
  void refusesASchemaThatIsNewerThanItKnows() throws SQLException {
    kagzi("db", "migrate");
    try (var connection = DriverManager.getConnection(jdbcUrl);
        var statement = connection.createStatement()) {
      statement.execute(
          """
          INSERT INTO kagzi.schema_history
          SELECT 99, '99', 'later', 'SQL', 'V99__later.sql', 1, 'ada', now(), 0, true
          """);
    }

    var refused = kagzi("db", "check");

    assertThat(refused.code()).isEqualTo(1);
    assertThat(refused.err()).contains("schema version 99", "run a newer Kagzi");
  }
}
