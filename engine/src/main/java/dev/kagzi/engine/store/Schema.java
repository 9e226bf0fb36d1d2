package dev.kagzi.engine.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kagzi.engine.jdbc.Database;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Arrays;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.output.MigrateResult;

/**
 * The schema in the database against the schema this code was written for. Several servers may
 * migrate at once: Flyway lets one through and the others find it done.
 */
public final class Schema {

  /** The newest migration in this code. */
  public static final int VERSION = 1;

  private static final String LOCATION = "classpath:dev/kagzi/engine/schema";
  private static final String FOLDER = "/dev/kagzi/engine/schema/";

  private static final String DATABASE_VERSION =
      "SELECT split_part(current_setting('server_version'), ' ', 1) AS version";

  private final Database database;
  private final Flyway flyway;

  public Schema(DataSource dataSource) {
    this.database = new Database(dataSource);
    this.flyway =
        Flyway.configure(Schema.class.getClassLoader())
            .dataSource(dataSource)
            .locations(LOCATION)
            .schemas("kagzi")
            .defaultSchema("kagzi")
            .table("schema_history")
            .createSchemas(true)
            .cleanDisabled(true)
            .lockRetryCount(120)
            .load();
  }

  /**
   * What the database calls itself, such as {@code PostgreSQL 18.6}.
   *
   * @throws dev.kagzi.engine.jdbc.DatabaseException if it cannot be reached
   */
  public String databaseVersion() {
    return database.once(
        tx -> tx.query(DATABASE_VERSION).only(row -> "PostgreSQL " + row.text("version")));
  }

  /** What migrating did. */
  public record Migrated(int version, int applied, Duration took) {}

  /**
   * Brings the schema up to this code.
   *
   * @throws SchemaException if it is newer than this code, or was changed by hand
   */
  public Migrated migrate() {
    requireKnown();
    long start = System.nanoTime();
    try {
      MigrateResult result = flyway.migrate();
      return new Migrated(
          VERSION, result.migrationsExecuted, Duration.ofNanos(System.nanoTime() - start));
    } catch (FlywayException failure) {
      throw SchemaException.of(failure);
    }
  }

  /**
   * Accepts only a schema that is exactly this code's.
   *
   * @throws SchemaException saying which version is there and what to run
   */
  public void requireCurrent() {
    requireKnown();
    int found = version();
    if (found < VERSION) {
      throw new SchemaException(
          SchemaException.Reason.OLDER,
          "the database has schema version %d, this server needs %d; start it once with KAGZI_DATABASE_MIGRATE=auto to bring it up to date"
              .formatted(found, VERSION));
    }
  }

  /** The version in the database; 0 if there is none. */
  public int version() {
    try {
      MigrationInfo current = flyway.info().current();
      return current == null || current.getVersion() == null
          ? 0
          : current.getVersion().getMajor().intValueExact();
    } catch (FlywayException failure) {
      throw SchemaException.of(failure);
    }
  }

  /**
   * What {@link #migrate} would do, done by nobody yet.
   *
   * @throws SchemaException if the schema is newer than this code, or was changed by hand
   */
  public MigrationScript pending() {
    requireKnown();
    return new MigrationScript(Arrays.stream(flyway.info().pending()).map(Schema::part).toList());
  }

  private static MigrationScript.Part part(MigrationInfo migration) {
    Integer checksum = migration.getChecksum();
    return new MigrationScript.Part(
        migration.getVersion().getMajor().intValueExact(),
        migration.getDescription(),
        migration.getScript(),
        checksum == null ? 0 : checksum,
        text(migration.getScript()));
  }

  private static String text(String script) {
    try (InputStream stream = Schema.class.getResourceAsStream(FOLDER + script)) {
      if (stream == null) {
        throw new IllegalStateException("no migration " + script + " in this code");
      }
      return new String(stream.readAllBytes(), UTF_8);
    } catch (IOException failure) {
      throw new UncheckedIOException("cannot read " + script, failure);
    }
  }

  private void requireKnown() {
    int found = version();
    if (found > VERSION) {
      throw new SchemaException(
          SchemaException.Reason.NEWER,
          "the database has schema version %d, this server knows only %d; run a newer Kagzi, nothing was changed"
              .formatted(found, VERSION));
    }
    try {
      flyway.validate();
    } catch (FlywayException failure) {
      if (changedByHand(failure)) {
        throw new SchemaException(
            SchemaException.Reason.OTHER_DRAFT,
            "the database holds another draft of schema version %d than this server's"
                .formatted(VERSION));
      }
    }
  }

  private static boolean changedByHand(FlywayException failure) {
    String message = failure.getMessage();
    return message != null && message.contains("checksum mismatch");
  }
}
