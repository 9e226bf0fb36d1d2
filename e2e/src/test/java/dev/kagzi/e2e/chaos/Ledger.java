package dev.kagzi.e2e.chaos;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The world outside of Kagzi: a table of a database that no fault reaches, to which the steps of
 * workflows append what they do. Its rows are in the order in which things happened.
 */
final class Ledger implements AutoCloseable {

  /** What a row says about a step, or a sleep. */
  enum Phase {
    /** An execution begins. */
    BEGIN,
    /** An execution has had its effect. */
    END,
    /** An execution fails, on purpose. */
    FAIL,
    /** The workflow has the result, so it must be recorded. */
    ACK,
    /** The workflow comes to a sleep. */
    BEFORE,
    /** The workflow has slept. */
    AFTER
  }

  private record Note(String run, String step, Phase phase) {}

  private static final String INSERT =
      "INSERT INTO ledger (run_id, step_key, phase, pid) VALUES (?, ?, ?, ?)";
  private static final int CONNECTIONS = 6;
  private static final int MOST_NOTES = 500;

  private final HikariDataSource pool = new HikariDataSource();
  private final long pid = ProcessHandle.current().pid();
  private final BlockingQueue<Note> notes = new LinkedBlockingQueue<>();
  private final Thread writer;

  private Ledger(String database) {
    pool.setJdbcUrl(database);
    pool.setMaximumPoolSize(CONNECTIONS);
    pool.setMinimumIdle(2);
    writer = Thread.ofPlatform().daemon().name("ledger-notes").start(this::writeNotes);
  }

  /** Makes the table in an empty database. */
  static void create(String database) throws SQLException {
    try (var connection = DriverManager.getConnection(database);
        var statement = connection.createStatement()) {
      statement.execute(
          """
          CREATE TABLE ledger (
            position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            run_id   uuid NOT NULL,
            step_key text NOT NULL,
            phase    text NOT NULL,
            pid      bigint NOT NULL,
            at       timestamptz NOT NULL DEFAULT clock_timestamp());
          CREATE INDEX ledger_failures ON ledger (run_id, step_key) WHERE phase = 'FAIL';
          """);
    }
  }

  /** Nothing ever kills this database, so a commit need not wait for its disk. */
  static Ledger open(String database) throws SQLException {
    var ledger = new Ledger(database + "&options=-c%20synchronous_commit=off");
    // The first connection takes a while, which no step may have to wait for.
    ledger.pool.getConnection().close();
    return ledger;
  }

  /** Returns when the row is there. */
  void write(String run, String step, Phase phase) throws SQLException {
    try (var connection = pool.getConnection()) {
      insert(connection, List.of(new Note(run, step, phase)));
    }
  }

  /** Writes a row soon, unless this process is killed before. */
  void note(String run, String step, Phase phase) {
    notes.add(new Note(run, step, phase));
  }

  /** How often executions of a step have failed on purpose. */
  int failures(String run, String step) throws SQLException {
    try (var connection = pool.getConnection();
        var query =
            connection.prepareStatement(
                "SELECT count(*) FROM ledger"
                    + " WHERE run_id = ? AND step_key = ? AND phase = 'FAIL'")) {
      query.setObject(1, UUID.fromString(run));
      query.setString(2, step);
      try (var rows = query.executeQuery()) {
        rows.next();
        return rows.getInt(1);
      }
    }
  }

  private void insert(Connection connection, List<Note> rows) throws SQLException {
    try (var statement = connection.prepareStatement(INSERT)) {
      for (Note row : rows) {
        statement.setObject(1, UUID.fromString(row.run()));
        statement.setString(2, row.step());
        statement.setString(3, row.phase().name());
        statement.setLong(4, pid);
        statement.addBatch();
      }
      statement.executeBatch();
    }
  }

  private void writeNotes() {
    try {
      while (true) {
        var batch = new ArrayList<Note>();
        batch.add(notes.take());
        notes.drainTo(batch, MOST_NOTES);
        try (var connection = pool.getConnection()) {
          insert(connection, batch);
        }
      }
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
    } catch (SQLException e) {
      throw new IllegalStateException("The ledger does not answer, though nobody harms it", e);
    }
  }

  @Override
  public void close() {
    writer.interrupt();
    pool.close();
  }
}
