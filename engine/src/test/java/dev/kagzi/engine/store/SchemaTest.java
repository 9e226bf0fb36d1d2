package dev.kagzi.engine.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.engine.TestEngine;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.jdbc.Transaction;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SchemaTest {

  private final HikariDataSource dataSource = TestEngine.freshDatabase();
  private final Database database = new Database(dataSource);
  private final Schema schema = new Schema(dataSource);

  @AfterEach
  void close() {
    dataSource.close();
  }

  @Test
  void isMadeOnceAndThenFoundCurrent() {
    assertThat(schema.version()).isZero();

    assertThat(schema.migrate().applied()).isEqualTo(1);

    assertThat(schema.migrate().applied()).isZero();
    assertThat(schema.version()).isEqualTo(Schema.VERSION);
    schema.requireCurrent();
  }

  @Test
  void letsSeveralServersMigrateAtOnce() throws Exception {
    try (ExecutorService servers = Executors.newFixedThreadPool(4)) {
      Callable<Schema.Migrated> migrate = () -> new Schema(dataSource).migrate();
      List<Future<Schema.Migrated>> results =
          servers.invokeAll(List.of(migrate, migrate, migrate, migrate));

      int applied = 0;
      for (Future<Schema.Migrated> result : results) {
        applied += result.get().applied();
      }
      assertThat(applied).isEqualTo(1);
    }
  }

  @Test
  void refusesToServeAnOlderDatabaseItMayNotChange() {
    assertThatThrownBy(schema::requireCurrent)
        .isInstanceOfSatisfying(
            SchemaException.class,
            refused -> assertThat(refused.reason()).isEqualTo(SchemaException.Reason.OLDER))
        .hasMessageContaining("version 0")
        .hasMessageContaining("KAGZI_DATABASE_MIGRATE=auto");
  }

  @Test
  void refusesANewerDatabaseAndChangesNothing() {
    schema.migrate();
    change(
        "INSERT INTO kagzi.schema_history VALUES (99, '99', 'later', 'SQL', 'V99', 1, 'x', now(),"
            + " 1, true)");

    assertThatThrownBy(schema::migrate)
        .isInstanceOfSatisfying(
            SchemaException.class,
            refused -> assertThat(refused.reason()).isEqualTo(SchemaException.Reason.NEWER))
        .hasMessageContaining("version 99")
        .hasMessageContaining("nothing was changed");
  }

  @Test
  void recognisesAnotherDraftOfItself() {
    schema.migrate();
    change("UPDATE kagzi.schema_history SET checksum = checksum + 1 WHERE version = '1'");

    assertThatThrownBy(schema::migrate)
        .isInstanceOfSatisfying(
            SchemaException.class,
            refused -> assertThat(refused.reason()).isEqualTo(SchemaException.Reason.OTHER_DRAFT));
  }

  @Test
  void saysOfEveryIndexWhichStatementNeedsIt() {
    schema.migrate();

    assertThat(
            texts(
                """
                SELECT c.relname AS text
                FROM pg_class c
                JOIN pg_namespace n ON n.oid = c.relnamespace
                JOIN pg_index i ON i.indexrelid = c.oid
                WHERE n.nspname = 'kagzi' AND NOT i.indisprimary
                  AND c.relname NOT LIKE 'schema_history%'
                  AND obj_description(c.oid, 'pg_class') IS NULL
                """))
        .isEmpty();
  }

  @Test
  void namesItsConstraintsAsSentences() {
    schema.migrate();

    assertThat(
            texts(
                """
                SELECT c.conname AS text
                FROM pg_constraint c
                JOIN pg_namespace n ON n.oid = c.connamespace
                WHERE n.nspname = 'kagzi' AND c.contype = 'c'
                  AND (c.conname LIKE '%\\_check' OR c.conname NOT LIKE '%\\_%\\_%')
                """))
        .isEmpty();
  }

  private void change(String sql) {
    database.inTransaction(tx -> tx.query(sql).update());
  }

  private List<String> texts(String sql) {
    return database.inTransaction((Transaction tx) -> tx.query(sql).list(row -> row.text("text")));
  }
}
