package dev.kagzi.testing.internal;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.engine.store.Schema;
import dev.kagzi.postgres.SharedPostgres;
import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A database of its own in the PostgreSQL that all tests of the JVM share. Thread-safe. */
final class TestDatabase implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(TestDatabase.class);
  private static final String JDBC = "jdbc:";
  private static final int POOL_SIZE = 8;

  /** No test survives a crash of PostgreSQL, so none need wait for its disk. */
  private static final String QUICK = "options=-c%20synchronous_commit=off";

  private final String name;
  private final HikariDataSource pool;

  TestDatabase() {
    String url = SharedPostgres.freshDatabase("testing", TestDatabase::migrate);
    this.name = URI.create(url.substring(JDBC.length())).getPath().substring(1);
    this.pool = pool(url);
  }

  private static void migrate(String url) {
    try (HikariDataSource pool = pool(url)) {
      new Schema(pool).migrate();
    }
  }

  private static HikariDataSource pool(String url) {
    var settings = new HikariConfig();
    settings.setJdbcUrl(url + (url.contains("?") ? "&" : "?") + QUICK);
    settings.setMaximumPoolSize(POOL_SIZE);
    settings.setMinimumIdle(1);
    settings.setAutoCommit(false);
    return new HikariDataSource(settings);
  }

  DataSource dataSource() {
    return pool;
  }

  @Override
  public void close() {
    pool.close();
    String everybodys = SharedPostgres.server().jdbcUrl("postgres");
    try (Connection connection = DriverManager.getConnection(everybodys);
        Statement statement = connection.createStatement()) {
      statement.execute("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)");
    } catch (SQLException e) {
      LOG.warn("Database {} stays until the JVM ends: {}", name, e.toString());
    }
  }
}
