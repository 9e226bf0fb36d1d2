package dev.kagzi.engine.store;

import java.util.List;

/**
 * What a migration would do, as a script for people who let no program change their schema. It
 * keeps the same books as a migration, so that a server finds nothing left to do. Immutable.
 */
public record MigrationScript(List<Part> parts) {

  /**
   * One version of the schema.
   *
   * @param checksum what is compared when somebody asks whether the text has changed since
   */
  public record Part(int version, String description, String script, int checksum, String sql) {}

  public MigrationScript {
    parts = List.copyOf(parts);
  }

  /** The script; empty if there is nothing to do. */
  public String text() {
    if (parts.isEmpty()) {
      return "";
    }
    var text = new StringBuilder(opening(parts.getLast().version()));
    for (var part : parts) {
      text.append("\n-- ").append(part.script()).append('\n').append(part.sql()).append('\n');
      text.append(entry(part));
    }
    return text.append("RESET search_path;\n").toString();
  }

  private static String opening(int version) {
    return """
    -- Brings the schema of Kagzi up to version %d. Run it as the owner of the schema, for example
    -- with psql --single-transaction --set ON_ERROR_STOP=1, while no server runs.
    CREATE SCHEMA IF NOT EXISTS kagzi;
    SET search_path TO kagzi;
    CREATE TABLE IF NOT EXISTS schema_history (
      installed_rank INT NOT NULL CONSTRAINT schema_history_pk PRIMARY KEY,
      version VARCHAR(50),
      description VARCHAR(200) NOT NULL,
      type VARCHAR(20) NOT NULL,
      script VARCHAR(1000) NOT NULL,
      checksum INTEGER,
      installed_by VARCHAR(100) NOT NULL,
      installed_on TIMESTAMP NOT NULL DEFAULT now(),
      execution_time INTEGER NOT NULL,
      success BOOLEAN NOT NULL
    );
    CREATE INDEX IF NOT EXISTS schema_history_s_idx ON schema_history (success);
    """
        .formatted(version);
  }

  private static String entry(Part part) {
    return """
    INSERT INTO schema_history
      (installed_rank, version, description, type, script, checksum, installed_by, execution_time, success)
    SELECT COALESCE(max(installed_rank), 0) + 1, '%d', '%s', 'SQL', '%s', %d, current_user, 0, true
    FROM schema_history;
    """
        .formatted(part.version(), part.description(), part.script(), part.checksum());
  }
}
