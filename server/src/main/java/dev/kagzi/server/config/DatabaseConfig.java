package dev.kagzi.server.config;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The database and how to use it. Immutable.
 *
 * @param url the database, or null if the program brings its own (embedded, {@code kagzi dev})
 * @param directUrl the same database past a pooler, or null if {@code url} is not pooled
 */
public record DatabaseConfig(
    @Nullable DatabaseUrl url, @Nullable DatabaseUrl directUrl, int poolSize, Migrate migrate) {

  /** The driver's word for settings that a session begins with. */
  public static final String OPTIONS = "options";

  /** How long a statement of the pool may take. */
  public static final int STATEMENT_TIMEOUT_MILLIS = 5000;

  /** What to do with the schema at start. */
  public enum Migrate {
    /** Bring it up to date. */
    AUTO,
    /** Refuse to start on an old one. */
    CHECK,
    /** Do not look at it. */
    OFF
  }

  static DatabaseConfig from(Settings settings, @Nullable String password) {
    var user = settings.find(ConfigKeys.DATABASE_USER);
    var url = settings.find(ConfigKeys.DATABASE_URL);
    var direct = settings.find(ConfigKeys.DATABASE_DIRECT_URL);
    return new DatabaseConfig(
        url == null ? null : url.withCredentials(user, password),
        direct == null || url == null
            ? null
            : direct.orCredentialsOf(url).withCredentials(user, password),
        settings.get(ConfigKeys.DATABASE_POOL_SIZE),
        settings.get(ConfigKeys.DATABASE_MIGRATE));
  }

  /** The database, which somebody checked to be set ({@link ConfigSources#requiring}). */
  public DatabaseUrl requiredUrl() {
    if (url == null) {
      throw new IllegalStateException(ConfigKeys.DATABASE_URL + " has no value");
    }
    return url;
  }

  /** Where sessions last: for LISTEN and for migrations. */
  public DatabaseUrl sessionUrl() {
    return directUrl == null ? requiredUrl() : directUrl;
  }

  /** Whether somebody said that there is a pooler in between. */
  public boolean isPooled() {
    return directUrl != null;
  }

  /**
   * Driver properties for the pool of connections. What the URL itself says is stronger. Behind a
   * pooler there are no server-side prepared statements and no start-up options, which poolers
   * refuse.
   */
  public Map<String, String> driverProperties(boolean pooled) {
    var properties = new LinkedHashMap<String, String>();
    properties.put("ApplicationName", "kagzi");
    properties.put("connectTimeout", "5");
    properties.put("socketTimeout", "15");
    properties.put("tcpKeepAlive", "true");
    // What PostgreSQL says about a refused row quotes the row, which may hold anybody's secrets.
    properties.put("logServerErrorDetail", "false");
    properties.put("prepareThreshold", pooled ? "0" : "3");
    properties.put("preparedStatementCacheQueries", "256");
    if (!pooled) {
      properties.put(
          OPTIONS,
          "-c statement_timeout="
              + STATEMENT_TIMEOUT_MILLIS
              + " -c idle_in_transaction_session_timeout=10000"
              + " -c lock_timeout=2000");
    }
    return Map.copyOf(properties);
  }
}
