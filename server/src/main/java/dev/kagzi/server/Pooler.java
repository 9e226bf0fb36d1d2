package dev.kagzi.server;

import dev.kagzi.engine.store.SessionSettings;
import dev.kagzi.server.config.DatabaseConfig;
import dev.kagzi.server.config.DatabaseUrl;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out whether a connection pooler stands before the database where nobody said so. Statements
 * that are prepared on one backend are then met by another, so it has to be known beforehand.
 */
final class Pooler {

  private static final Logger log = LoggerFactory.getLogger(Pooler.class);

  /** What PgBouncer answers to a start-up packet that asks for more than it knows. */
  private static final String PROTOCOL_VIOLATION = "08P01";

  private static final String LIMIT = "statement_timeout";

  private Pooler() {}

  /**
   * Connects as without one. A pooler refuses the settings that a session asks for at its start, or
   * ignores them if it was told to; PostgreSQL itself does neither.
   */
  static boolean standsBefore(DataSource direct, DatabaseUrl url) {
    if (url.parameters().containsKey(DatabaseConfig.OPTIONS)) {
      return false;
    }
    boolean pooled = refusesOrIgnoresSettings(direct);
    if (pooled) {
      log.info(
          "there is a pooler before the database: statements are not prepared on the server, and"
              + " their time limits are the pooler's and the role's business");
    }
    return pooled;
  }

  private static boolean refusesOrIgnoresSettings(DataSource direct) {
    try (Connection connection = direct.getConnection()) {
      String found = SessionSettings.of(connection, LIMIT);
      return !found.equals(Integer.toString(DatabaseConfig.STATEMENT_TIMEOUT_MILLIS));
    } catch (SQLException failure) {
      // Anything else is not for this class to judge; whoever connects next will meet it again.
      return PROTOCOL_VIOLATION.equals(failure.getSQLState());
    }
  }
}
