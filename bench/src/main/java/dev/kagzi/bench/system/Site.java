package dev.kagzi.bench.system;

import dev.kagzi.postgres.EmbeddedPostgres;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Where one system is built: its folder, and everything it is made of. Not thread-safe. */
final class Site {
  /** The database that a system has to itself. */
  static final String DATABASE = "bench";

  private final Path home;
  private final Consumer<AutoCloseable> lifetime;
  private final Deque<AutoCloseable> made = new ArrayDeque<>();

  Site(Path home, Consumer<AutoCloseable> lifetime) {
    this.home = home;
    this.lifetime = lifetime;
  }

  Path home() {
    return home;
  }

  EmbeddedPostgres postgres() {
    var postgres = hold(EmbeddedPostgres.builder(home.resolve("pg")).start());
    postgres.createDatabase(DATABASE);
    return postgres;
  }

  PostgresProbe probe(EmbeddedPostgres postgres) {
    return hold(
        PostgresProbe.connect(postgres.jdbcUrl("postgres"), DATABASE, postgres.jdbcUrl(DATABASE)));
  }

  ChildProcess child(String name, List<String> command, Map<String, String> environment) {
    return hold(ChildProcess.start(name, command, environment, home));
  }

  /** The finished system; returns when its driver listens. */
  Entrant entrant(
      SystemName name, ChildProcess driver, Map<String, Long> parts, @Nullable PostgresProbe probe)
      throws InterruptedException {
    return new Entrant(name, driver, parts, probe, made).awaitReady();
  }

  private <T extends AutoCloseable> T hold(T resource) {
    made.push(resource);
    lifetime.accept(resource);
    return resource;
  }
}
