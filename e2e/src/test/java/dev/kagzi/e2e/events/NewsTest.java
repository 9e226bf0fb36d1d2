package dev.kagzi.e2e.events;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.e2e.suite.Deployment;
import dev.kagzi.e2e.suite.Deployment.Home;
import dev.kagzi.e2e.suite.DurabilitySuite;
import dev.kagzi.embedded.Kagzi;
import dev.kagzi.postgres.SharedPostgres;
import dev.kagzi.sdk.EventType;
import dev.kagzi.sdk.StepFuture;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.KagziClient;
import dev.kagzi.sdk.client.WorkflowHandle;
import dev.kagzi.sdk.worker.Worker;
import dev.kagzi.server.config.ConfigKeys;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** On servers of its own, whose workers beat so rarely that no heartbeat helps. */
class NewsTest extends DurabilitySuite {

  private static final EventType<String> STOP = EventType.of("stop", String.class);
  private static final int TRIES = 10;
  private static final Duration RARE = Duration.ofSeconds(10);
  private static final Duration PROMISED = Duration.ofSeconds(1);

  private final WorkflowType<String, String> type = freshType();
  private final CountDownLatch never = new CountDownLatch(1);
  private final Semaphore executing = new Semaphore(0);

  NewsTest() {
    super(Deployment.remote(RARE, Deployment.LEASE));
  }

  @AfterEach
  void letGo() {
    never.countDown();
    home().close();
  }

  @Test
  void anEventReachesARunThatExecutesWithinASecond() throws Exception {
    serveUntilStopped(home());

    assertThat(medianOfStops(client, "of the same server")).isLessThan(PROMISED);
  }

  @Test
  void anEventThroughAnotherServerDoesSoToo() throws Exception {
    serveUntilStopped(home());
    try (Home other = Deployment.remote(home().jdbcUrl(), RARE, Deployment.LEASE);
        KagziClient away = KagziClient.connect(other.address())) {
      // The two must have seen each other's beat before they talk.
      stopOne(away);

      assertThat(medianOfStops(away, "of another server")).isLessThan(PROMISED);
    }
  }

  @Test
  void betweenServersThatHearNothingTheHeartbeatBringsIt() throws Exception {
    String jdbcUrl = SharedPostgres.freshDatabase();
    try (Home here = deaf(jdbcUrl);
        Home there = deaf(jdbcUrl);
        KagziClient away = KagziClient.connect(there.address())) {
      serveUntilStopped(here);
      stopOne(away);

      Duration took = stopOne(away);

      System.out.printf("an event stopped a run that heard nothing after %d ms%n", took.toMillis());
      assertThat(took).isLessThan(RARE);
    }
  }

  /** A race between an event and a step that ends only with the test. */
  private void serveUntilStopped(Home at) {
    begin(
        Worker.builder(at.address(), queue())
            .drainTimeout(Duration.ZERO)
            .register(
                type,
                (ctx, in) -> {
                  StepFuture<Optional<String>> stop = ctx.event(STOP);
                  StepFuture<String> work =
                      ctx.step("work")
                          .async(
                              String.class,
                              () -> {
                                executing.release();
                                never.await();
                                return "";
                              });
                  ctx.race("first", stop, work);
                  return stop.get().orElseThrow();
                }));
  }

  private Duration stopOne(KagziClient sender) throws Exception {
    WorkflowHandle<String> handle = sender.start(type).queue(queue()).input("").send();
    assertThat(executing.tryAcquire(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    long sentAt = System.nanoTime();
    handle.send(STOP, "enough");
    assertThat(resultOf(handle)).isEqualTo("enough");
    return Duration.ofNanos(System.nanoTime() - sentAt);
  }

  private Duration medianOfStops(KagziClient sender, String where) throws Exception {
    List<Duration> latencies = new ArrayList<>();
    for (int i = 0; i < TRIES; i++) {
      latencies.add(stopOne(sender));
    }
    latencies.sort(Comparator.naturalOrder());
    System.out.printf(
        "an event stopped a run that executed at a worker %s after %d ms (median of %d), %d ms"
            + " (most)%n",
        where, latencies.get(TRIES / 2).toMillis(), TRIES, latencies.get(TRIES - 1).toMillis());
    return latencies.get(TRIES / 2);
  }

  /** A server whose LISTEN goes to another session than the one that is read, as at a pooler. */
  private static Home deaf(String jdbcUrl) {
    var pool = new HikariDataSource();
    pool.setJdbcUrl(jdbcUrl);
    DataSource hearsNothing =
        wrap(
            DataSource.class,
            pool,
            result ->
                result instanceof Connection connection
                    ? wrap(Connection.class, connection, NewsTest::deafStatement)
                    : result);
    Kagzi kagzi =
        Kagzi.embedded(hearsNothing)
            .with(ConfigKeys.WORKER_HEARTBEAT_INTERVAL, Deployment.HEARTBEAT_INTERVAL)
            .start();
    return new Home(
        kagzi.address(),
        jdbcUrl,
        () -> {
          kagzi.close();
          pool.close();
        });
  }

  private static Object deafStatement(Object result) {
    return result instanceof Statement statement && !(result instanceof PreparedStatement)
        ? wrap(Statement.class, statement, unchanged -> unchanged)
        : result;
  }

  private static <T> T wrap(Class<T> type, T target, UnaryOperator<Object> change) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              boolean listens =
                  method.getName().equals("execute")
                      && String.valueOf(arguments[0]).startsWith("LISTEN");
              if (listens) {
                return false;
              }
              try {
                return change.apply(method.invoke(target, arguments));
              } catch (InvocationTargetException failure) {
                throw failure.getCause();
              }
            }));
  }
}
