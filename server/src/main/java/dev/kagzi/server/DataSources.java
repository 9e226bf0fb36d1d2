package dev.kagzi.server;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.DriverDataSource;
import dev.kagzi.server.config.DatabaseConfig;
import dev.kagzi.server.config.DatabaseUrl;
import java.time.Duration;
import java.util.Properties;
import javax.sql.DataSource;

/** The two ways in which a server uses its database: pooled, and for sessions of any length. */
final class DataSources {

  private static final String DRIVER = "org.postgresql.Driver";

  /** Short, so that an outage is answered soon; callers are told to try again. */
  private static final Duration CONNECTION_LIMIT = Duration.ofSeconds(1);

  /** Connecting may take this long; what is done then, any time. */
  private static final String SESSION_CONNECT_SECONDS = "5";

  private static final int EMBEDDED_MINIMUM = 4;

  private DataSources() {}

  /** The pool of everyday work; connects when it is first used. */
  static HikariDataSource pool(DatabaseConfig database) {
    DatabaseUrl url = database.requiredUrl();
    var pool = new HikariConfig();
    pool.setPoolName("kagzi");
    boolean pooled = database.isPooled() || Pooler.standsBefore(everyday(database, false), url);
    pool.setDataSource(new ReconnectingDataSource(everyday(database, pooled)));
    pool.setMaximumPoolSize(database.poolSize());
    pool.setAutoCommit(false);
    pool.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    pool.setConnectionTimeout(CONNECTION_LIMIT.toMillis());
    pool.setValidationTimeout(CONNECTION_LIMIT.toMillis());
    pool.setInitializationFailTimeout(-1);
    return new HikariDataSource(pool);
  }

  private static DataSource everyday(DatabaseConfig database, boolean pooled) {
    DatabaseUrl url = database.requiredUrl();
    var properties = new Properties();
    database.driverProperties(pooled).forEach(properties::put);
    return new DriverDataSource(url.jdbcUrl(), DRIVER, properties, url.user(), url.password());
  }

  /**
   * Connections past any pooler, if there is a way, and without time limits, for migrations and for
   * LISTEN.
   */
  static DataSource sessions(DatabaseConfig database) {
    DatabaseUrl url = database.sessionUrl();
    var properties = new Properties();
    properties.put("ApplicationName", "kagzi-session");
    properties.put("connectTimeout", SESSION_CONNECT_SECONDS);
    properties.put("tcpKeepAlive", "true");
    // Where only a pooler can be reached, what one session prepared would be met by another.
    properties.put("prepareThreshold", "0");
    return new DriverDataSource(url.jdbcUrl(), DRIVER, properties, url.user(), url.password());
  }

  /** Refuses a pool, if it is one that can be asked, on which the engine would wait for itself. */
  static void requireRoom(DataSource given) {
    if (given instanceof HikariDataSource pool && pool.getMaximumPoolSize() < EMBEDDED_MINIMUM) {
      throw new IllegalArgumentException(
          "dataSource: a pool of at most %d connections (expected: at least %d)"
              .formatted(pool.getMaximumPoolSize(), EMBEDDED_MINIMUM));
    }
  }
}
