package dev.kagzi.engine.wakeup;

import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.jdbc.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hears what other servers announce, on a connection of its own, for ever: a connection that breaks
 * is replaced, and one that looks open and hears nothing is found out by a message that is sent to
 * it from time to time. It is sent on another connection, as the news of others is: what a session
 * tells itself arrives even behind a pooler in transaction mode, as long as both statements happen
 * to go to the same backend. Where nothing ever arrives, it says so once and the engine lives on
 * polling.
 */
public final class PostgresListener implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(PostgresListener.class);
  private static final Duration PROBE_EVERY = Duration.ofSeconds(5);
  private static final Duration PROBE_LIMIT = Duration.ofSeconds(3);
  private static final Duration SHORTEST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);
  private static final Duration PAUSE_WHERE_IT_NEVER_WORKED = Duration.ofSeconds(60);

  /** Also how long closing may take. */
  private static final Duration LISTEN_SLICE = Duration.ofMillis(500);

  /** Called when messages may have been missed: everybody should look for himself. */
  public interface Gap {
    void mayHaveMissedNews();
  }

  private static final String CALL = "SELECT pg_notify(:channel, '') IS NULL AS sent";

  private final DataSource dataSource;
  private final Database others;
  private final Signals signals;
  private final Gap gap;
  private final String probeChannel =
      "kagzi_probe_" + UUID.randomUUID().toString().replace("-", "");
  private final Thread thread;
  private volatile boolean closed;
  private volatile boolean up;
  private boolean everWorked;
  private boolean complained;
  private Duration pause = SHORTEST_PAUSE;

  /**
   * Listens from now on.
   *
   * @param dataSource gives the connection to listen on
   * @param others the way by which servers send their news
   */
  public PostgresListener(DataSource dataSource, Database others, Signals signals, Gap gap) {
    this.dataSource = dataSource;
    this.others = others;
    this.signals = signals;
    this.gap = gap;
    this.thread = Thread.ofPlatform().name("kagzi-listen").daemon().unstarted(this::run);
    thread.start();
  }

  /** Whether news of other servers arrives here. */
  public boolean isUp() {
    return up;
  }

  private void run() {
    while (!closed) {
      try {
        listen();
      } catch (SQLException | RuntimeException failure) {
        log.debug("the listening connection ended: {}", failure.toString());
      }
      up = false;
      if (!closed) {
        complainOnce();
        rest();
      }
    }
  }

  private void listen() throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(true);
      // Without a limit a half-open connection would hold this thread for as long as TCP likes.
      connection.setNetworkTimeout(Runnable::run, (int) PROBE_LIMIT.toMillis());
      execute(connection, "LISTEN " + probeChannel);
      execute(connection, "LISTEN " + Channels.WORK);
      execute(connection, "LISTEN " + Channels.DONE);
      execute(connection, "LISTEN " + Channels.NEWS);
      try {
        hear(connection, connection.unwrap(PGConnection.class));
      } finally {
        stopListening(connection);
      }
    }
  }

  private void hear(Connection connection, PGConnection notifications) throws SQLException {
    boolean answered = false;
    probe(connection);
    long probedAt = System.nanoTime();
    while (!closed) {
      PGNotification[] heard = notifications.getNotifications((int) LISTEN_SLICE.toMillis());
      for (PGNotification notification : heard == null ? new PGNotification[0] : heard) {
        if (notification.getName().equals(probeChannel)) {
          answered = true;
          works();
        } else {
          pass(notification);
        }
      }
      long sinceProbe = System.nanoTime() - probedAt;
      if (!answered && sinceProbe > PROBE_LIMIT.toNanos()) {
        return;
      }
      if (sinceProbe > PROBE_EVERY.toNanos()) {
        answered = !probe(connection);
        probedAt = System.nanoTime();
      }
    }
  }

  /**
   * Has itself called on another connection. If that cannot be had, this one is asked whether it is
   * there.
   *
   * @return whether somebody called; if not, a missing answer says nothing
   */
  private boolean probe(Connection connection) throws SQLException {
    try {
      others.inTransaction(
          tx -> tx.query(CALL).set("channel", probeChannel).list(row -> row.bool("sent")));
      return true;
    } catch (RuntimeException busyOrAway) {
      log.debug("the listening connection was not called: {}", busyOrAway.toString());
      execute(connection, "LISTEN " + probeChannel);
      return false;
    }
  }

  private void works() {
    if (!up) {
      up = true;
      if (complained) {
        log.info("news of other servers arrives again");
      }
      everWorked = true;
      complained = false;
      pause = SHORTEST_PAUSE;
      gap.mayHaveMissedNews();
    }
  }

  private void pass(PGNotification notification) {
    try {
      String message = notification.getParameter();
      signals.telemetry().newsReceived();
      switch (notification.getName()) {
        case Channels.WORK -> {
          Channels.Work news = Channels.parseWork(message);
          signals.work().heard(news.queue(), news.dueAt());
        }
        case Channels.NEWS -> signals.news().heard(Channels.parseNews(message));
        default -> {
          for (String runId : message.split(",", -1)) {
            signals.done().heard(RunId.parse(runId));
          }
        }
      }
    } catch (RuntimeException garbled) {
      log.debug("a message on {} was not understood", notification.getName());
    }
  }

  private void complainOnce() {
    if (!complained) {
      complained = true;
      log.warn(
          everWorked
              ? "news of other servers does not arrive; polling until it does"
              : "LISTEN does not work on this connection (a pooler in transaction mode?);"
                  + " polling instead. Set KAGZI_DATABASE_DIRECT_URL to a direct address");
    }
  }

  private void rest() {
    Duration longest = everWorked ? LONGEST_PAUSE : PAUSE_WHERE_IT_NEVER_WORKED;
    Duration doubled = pause.multipliedBy(2);
    pause = doubled.compareTo(longest) > 0 ? longest : doubled;
    long nanos = pause.toNanos();
    try {
      TimeUnit.NANOSECONDS.sleep(ThreadLocalRandom.current().nextLong(nanos / 2, nanos));
    } catch (InterruptedException closing) {
      // close() sets the flag before it interrupts.
    }
  }

  private static void stopListening(Connection connection) {
    try {
      execute(connection, "UNLISTEN *");
      connection.setNetworkTimeout(Runnable::run, 0);
    } catch (SQLException broken) {
      log.trace("the listening connection was broken already");
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
    try {
      thread.join(TimeUnit.SECONDS.toMillis(3));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
