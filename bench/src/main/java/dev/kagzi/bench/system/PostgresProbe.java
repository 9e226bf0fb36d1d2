package dev.kagzi.bench.system;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Asks a PostgreSQL what it has done so far, through a database that nobody else uses. */
public final class PostgresProbe implements AutoCloseable {
  /** What must be on for a commit to survive a power cut. */
  private static final List<String> DURABILITY =
      List.of("fsync", "synchronous_commit", "full_page_writes");

  private static final List<String> OTHERS =
      List.of("server_version", "wal_sync_method", "shared_buffers", "max_wal_size");

  private final Connection connection;
  private final String database;
  private final String databaseUrl;

  private PostgresProbe(Connection connection, String database, String databaseUrl) {
    this.connection = connection;
    this.database = database;
    this.databaseUrl = databaseUrl;
  }

  /**
   * Connects.
   *
   * @param url the address of a database to ask through
   * @param database the database whose transactions are counted
   * @param databaseUrl its address
   */
  static PostgresProbe connect(String url, String database, String databaseUrl) {
    try {
      return new PostgresProbe(DriverManager.getConnection(url), database, databaseUrl);
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  private static BenchFailedException failed(SQLException e) {
    return new BenchFailedException("PostgreSQL could not be asked: " + e.getMessage(), e);
  }

  /**
   * The settings that matter, as the server says them.
   *
   * @throws BenchFailedException if a commit would not be durable
   */
  public Map<String, String> checkedSettings() {
    var settings = new LinkedHashMap<String, String>();
    for (var name : DURABILITY) {
      var value = text("SHOW " + name);
      if (!value.equals("on")) {
        throw new BenchFailedException(
            "PostgreSQL runs with %s = %s (expected: on); figures without durability mean nothing"
                .formatted(name, value));
      }
      settings.put(name, value);
    }
    OTHERS.forEach(name -> settings.put(name, text("SHOW " + name)));
    return settings;
  }

  /** How many bytes of its log it has written. */
  double walBytes() {
    return Double.parseDouble(text("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn"));
  }

  /** Transactions of the database; a session that is busy tells its last second later. */
  double transactions() {
    return Double.parseDouble(
        text(
            "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = '%s'"
                .formatted(database)));
  }

  /** Transactions that have written something, in all databases; exact. */
  double writingTransactions() {
    return Double.parseDouble(text("SELECT pg_snapshot_xmax(pg_current_snapshot())"));
  }

  /**
   * Does what PostgreSQL would do by itself some time later, so that nobody pays for it in the next
   * round: forgets dead rows, looks what is in the tables, and writes what is due to disk.
   */
  public void tidy() {
    // A session that ends tells its transactions at once, so that they count before the round.
    try (var own = DriverManager.getConnection(databaseUrl);
        var statement = own.createStatement()) {
      statement.execute("VACUUM (ANALYZE)");
      statement.execute("CHECKPOINT");
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  private String text(String sql) {
    try (var statement = connection.createStatement();
        var rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      // It has ended already, which is what we want.
    }
  }
}
