package dev.kagzi.cli;

import dev.kagzi.cli.folder.TempFolder;
import dev.kagzi.cli.shell.CommandFailedException;
import dev.kagzi.cli.shell.Lifetime;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.postgres.EmbeddedPostgres;
import dev.kagzi.server.config.ConfigKeys;
import dev.kagzi.server.config.DatabaseUrl;
import dev.kagzi.server.config.Origin;
import dev.kagzi.server.config.ServerConfig;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The database of a development server: the user's own, or an embedded PostgreSQL that is kept or
 * temporary.
 */
final class DevDatabase {
  private static final String NAME = "kagzi";

  private final String place;
  private final boolean kept;
  private final @Nullable EmbeddedPostgres postgres;

  private DevDatabase(String place, boolean kept, @Nullable EmbeddedPostgres postgres) {
    this.place = place;
    this.kept = kept;
    this.postgres = postgres;
  }

  /** One that somebody else runs. */
  static DevDatabase own(DatabaseUrl url, Origin origin) {
    return new DevDatabase("%s from %s".formatted(url, origin), false, null);
  }

  /** An embedded one whose data goes with this process. */
  static DevDatabase temporary(Lifetime lifetime) {
    var folder = lifetime.hold(TempFolder.create("kagzi-dev-")).path();
    return new DevDatabase(folder + ", deleted at the end", false, started(folder, lifetime));
  }

  /** An embedded one whose data is there again next time. */
  static DevDatabase kept(DevFolder folder, Session session) {
    var postgres = started(folder.path(), session.lifetime());
    return new DevDatabase(session.shown(folder.path()), true, postgres);
  }

  private static EmbeddedPostgres started(Path folder, Lifetime lifetime) {
    var postgres = lifetime.hold(EmbeddedPostgres.builder(folder).start());
    postgres.createDatabase(NAME);
    return postgres;
  }

  /** Whether the data survives this process and is this command's to delete. */
  boolean isKept() {
    return kept;
  }

  /** The configuration with this database in it. */
  ServerConfig addTo(ServerConfig config) {
    return postgres == null
        ? config
        : config.toBuilder()
            .set(ConfigKeys.DATABASE_URL, DatabaseUrl.parse(postgres.jdbcUrl(NAME)))
            .build();
  }

  /** The address of an embedded one, as a command takes it. */
  Optional<String> url() {
    return postgres == null
        ? Optional.empty()
        : Optional.of(
            "postgres://%s@127.0.0.1:%d/%s"
                .formatted(EmbeddedPostgres.USER, postgres.port(), NAME));
  }

  /** What it is and where, in words; {@code product} is its name and version. */
  String shown(String product) {
    return postgres == null
        ? "%s  %s".formatted(product, place)
        : "embedded %s on port %d  %s".formatted(product, postgres.port(), place);
  }

  /**
   * Looks after an embedded one.
   *
   * @throws CommandFailedException if it has ended by itself
   */
  void requireAlive() {
    if (postgres != null && !postgres.isRunning()) {
      throw new CommandFailedException(
          "the embedded PostgreSQL has ended unexpectedly; its log is %s"
              .formatted(postgres.dataDirectory().resolve("postgres.log")));
    }
  }
}
