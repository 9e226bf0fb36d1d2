package dev.kagzi.server;

import dev.kagzi.engine.jdbc.DatabaseException;
import dev.kagzi.engine.store.SchemaException;
import dev.kagzi.server.ServerStartException.Reason;
import dev.kagzi.server.config.ConfigKey;
import dev.kagzi.server.config.ConfigKeys;
import dev.kagzi.server.config.DatabaseConfig;
import dev.kagzi.server.config.DatabaseUrl;
import dev.kagzi.server.config.ServerConfig;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Explains why a server cannot start to whoever has to change something about it. */
final class StartFailures {

  private final ServerConfig config;

  StartFailures(ServerConfig config) {
    this.config = config;
  }

  /** A failure of anything but a port. */
  ServerStartException explain(RuntimeException failure) {
    return switch (failure) {
      case ServerStartException explained -> explained;
      case DatabaseException database -> ofDatabase(database);
      case SchemaException schema -> ofSchema(schema);
      default -> failed("the server could not start: " + firstLine(failure.toString()), failure);
    };
  }

  private ServerStartException ofDatabase(DatabaseException failure) {
    String state = failure.sqlState();
    if (state.startsWith("28") || state.equals("08004")) {
      return because(
          Reason.DATABASE_LOGIN_FAILED,
          "%s refused the login; check user and password".formatted(database()),
          failure);
    }
    if (state.equals("3D000")) {
      return because(
          Reason.DATABASE_MISSING,
          "%s does not exist; create it with 'createdb' or name another".formatted(database()),
          failure);
    }
    if (state.equals("53300")) {
      return because(
          Reason.DATABASE_FULL,
          "%s has no free connection; raise max_connections or lower %s"
              .formatted(database(), ConfigKeys.DATABASE_POOL_SIZE),
          failure);
    }
    if (failure.isDiskFull()) {
      return because(
          Reason.DATABASE_FULL,
          "the disk of %s is full; free some space".formatted(database()),
          failure);
    }
    if (isRefusedByPooler(failure)) {
      return because(
          Reason.DATABASE_UNREACHABLE,
          "%s is a pooler that takes no start-up options; set %s to the database's own address, or"
                  .formatted(database(), ConfigKeys.DATABASE_DIRECT_URL)
              + " to the same one if there is no other",
          failure);
    }
    if (failure.isTransient()) {
      return because(
          Reason.DATABASE_UNREACHABLE,
          "%s cannot be reached; check that it runs and that the address is right"
              .formatted(database()),
          failure);
    }
    return failed(
        "%s failed with SQLSTATE %s: %s"
            .formatted(database(), state, firstLine(String.valueOf(failure.getMessage()))),
        failure);
  }

  private ServerStartException ofSchema(SchemaException failure) {
    String words = firstLine(String.valueOf(failure.getMessage()));
    return switch (failure.reason()) {
      case NEWER -> because(Reason.SCHEMA_NEWER, database() + ": " + words, failure);
      case OLDER ->
          because(
              Reason.SCHEMA_OLDER,
              "%s: %s (%s is %s, from %s)"
                  .formatted(
                      database(),
                      words,
                      ConfigKeys.DATABASE_MIGRATE,
                      config.database().migrate().name().toLowerCase(Locale.ROOT),
                      config.origin(ConfigKeys.DATABASE_MIGRATE)),
              failure);
      case OTHER_DRAFT ->
          because(
              Reason.SCHEMA_DRAFT,
              "%s: %s; drafts are not migrated, use an empty database".formatted(database(), words),
              failure);
      case FAILED -> failed(database() + ": " + words, failure);
    };
  }

  /** A port that cannot be listened on. */
  ServerStartException ofPort(ConfigKey<Integer> key, InetSocketAddress address, IOException why) {
    if (isInUse(why)) {
      return because(
          Reason.PORT_IN_USE,
          "port %d on %s is in use (%s, from %s); stop who listens there, or choose another with"
                  .formatted(address.getPort(), address.getHostString(), key, config.origin(key))
              + " %s or %s (0 takes any free one)".formatted(key.flag(), key.environmentName()),
          why);
    }
    return failed(
        "cannot listen on %s:%d (%s, from %s): %s"
            .formatted(
                address.getHostString(),
                address.getPort(),
                ConfigKeys.BIND_ADDRESS,
                config.origin(ConfigKeys.BIND_ADDRESS),
                firstLine(String.valueOf(root(why).getMessage()))),
        why);
  }

  private static boolean isInUse(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      boolean inWords = String.valueOf(cause.getMessage()).contains("Address already in use");
      if (inWords && (cause instanceof BindException || cause instanceof IOException)) {
        return true;
      }
    }
    return false;
  }

  /** PgBouncer's words; without a direct address the pool asks for time limits when it connects. */
  private static boolean isRefusedByPooler(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (String.valueOf(cause.getMessage()).contains("unsupported startup parameter")) {
        return true;
      }
    }
    return false;
  }

  private static Throwable root(Throwable failure) {
    Throwable root = failure;
    for (Throwable cause = root.getCause(); cause != null; cause = root.getCause()) {
      root = cause;
    }
    return root;
  }

  /** The database and who named it; its text form masks passwords. */
  private String database() {
    DatabaseConfig database = config.database();
    DatabaseUrl direct = database.directUrl();
    return direct == null
        ? named(database.url(), ConfigKeys.DATABASE_URL)
        : named(direct, ConfigKeys.DATABASE_DIRECT_URL);
  }

  private String named(@Nullable DatabaseUrl url, ConfigKey<DatabaseUrl> key) {
    return url == null
        ? "the database of the given DataSource"
        : "database %s (%s, from %s)".formatted(url, key, config.origin(key));
  }

  private static ServerStartException because(Reason reason, String message, Throwable cause) {
    return new ServerStartException(reason, message, cause);
  }

  private static ServerStartException failed(String message, Throwable cause) {
    return because(Reason.FAILED, message, cause);
  }

  private static String firstLine(String text) {
    return text.lines().filter(line -> !line.isBlank()).findFirst().orElse("no reason was given");
  }
}
