package dev.kagzi.embedded;

import dev.kagzi.embedded.internal.InProcessChannels;
import dev.kagzi.server.KagziServer;
import javax.sql.DataSource;

/**
 * A Kagzi server inside this JVM, on the application's own database.
 *
 * <pre>{@code
 * Kagzi kagzi = Kagzi.embedded(dataSource).start();
 * Worker worker = Worker.builder(kagzi.address(), "orders").register(ORDER, this::order).build();
 * KagziClient client = KagziClient.connect(kagzi.address());
 * }</pre>
 *
 * <p>It opens no port, reads no environment variable and no file, brings the schema {@code kagzi}
 * up to date when it starts, and does everything that a server of its own does. Several
 * applications may run one each on the same database. Thread-safe.
 */
public final class Kagzi implements AutoCloseable {

  private final KagziServer server;
  private final String address;

  Kagzi(KagziServer server, String name) {
    this.server = server;
    this.address = InProcessChannels.addressOf(name);
  }

  /**
   * Describes a server on a database.
   *
   * @param dataSource gives connections to a PostgreSQL; a pool of at least 4, better 10. It stays
   *     the application's, and must be closed after this server. Its connections must be the same
   *     for every thread: neither those of a transaction that the calling thread is in, nor of a
   *     tenant that it works for, because results are committed by threads of workflows too
   */
  public static KagziBuilder embedded(DataSource dataSource) {
    return new KagziBuilder(dataSource);
  }

  /** Where workers and clients of this JVM find the server. */
  public String address() {
    return address;
  }

  /** The database and its version, such as {@code PostgreSQL 18.6}. */
  public String databaseVersion() {
    return server.databaseVersion();
  }

  /** Whether the server can work now: the database answers, and nobody has closed it. */
  public boolean isReady() {
    return server.obstacles().isEmpty();
  }

  /**
   * Stops in good order: hands out no more work, answers those who wait, writes what was accepted.
   * Stop workers first, so that they can finish. Safe to repeat.
   */
  @Override
  public void close() {
    server.close();
  }
}
