package dev.kagzi.e2e.pooler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.e2e.Lanes;
import dev.kagzi.e2e.recovery.Figures;
import dev.kagzi.e2e.recovery.Records;
import dev.kagzi.e2e.recovery.ServerProcess;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.operation.Retention;
import dev.kagzi.engine.store.PartitionStore;
import dev.kagzi.postgres.SharedPostgres;
import dev.kagzi.sdk.client.KagziClient;
import dev.kagzi.sdk.worker.Worker;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.time.LocalDate;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Two servers whose connections go through PgBouncer in transaction mode, the client at one of them
 * and the worker at the other. Everything works; what differs is how soon one hears of the other.
 */
@ResourceLock(Lanes.PROCESSES)
class PoolerIT {
  private static final String DEAF = "LISTEN does not work on this connection";
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int WAKE_UPS = 10;

  /** The fallback poll is every second; and this machine may be slow. */
  private static final Duration LONGEST_WAKE_UP = Duration.ofSeconds(10);

  @TempDir Path folder;
  private final String direct = SharedPostgres.freshDatabase();
  private final String name = direct.replaceAll(".*/(.*)\\?.*", "$1");
  private PgBouncer bouncer;

  @BeforeAll
  static void requirePgBouncer() {
    assumeTrue(
        PgBouncer.program().isPresent(),
        "PgBouncer is not installed (Debian: apt-get install pgbouncer)");
  }

  @BeforeEach
  void start() throws Exception {
    bouncer = PgBouncer.before(SharedPostgres.server());
  }

  @AfterEach
  void stop() {
    bouncer.close();
  }

  @Test
  void everythingWorksWithNothingSaidOfThePoolerOnlyLater() throws Exception {
    try (var one = ServerProcess.start(folder, environment(Map.of()));
        var two = ServerProcess.start(folder, environment(Map.of()))) {
      await().atMost(PATIENCE).until(() -> one.log().contains(DEAF) && two.log().contains(DEAF));
      assertThat(one.log()).contains("there is a pooler before the database");
      tryEverything("pooler.deaf", one, two);
      assertThat(one.log()).containsOnlyOnce(DEAF).doesNotContain("arrives again");
      assertThat(two.log()).containsOnlyOnce(DEAF).doesNotContain("arrives again");
      Figures.print("pooler.deaf.unexpected", unexpected(one) + unexpected(two));
      assertThat(unexpected(one) + unexpected(two)).isZero();
    }
  }

  @Test
  void serversHearOfEachOtherByTheDirectAddress() throws Exception {
    var past = Map.of("KAGZI_DATABASE_DIRECT_URL", direct);
    try (var one = ServerProcess.start(folder, environment(past));
        var two = ServerProcess.start(folder, environment(past))) {
      tryEverything("pooler.direct", one, two);
      assertThat(one.log() + two.log()).doesNotContain(DEAF);
      assertThat(unexpected(one) + unexpected(two)).isZero();
    }
  }

  @Test
  void aDayOfHistoryIsRemovedThroughThePooler() throws Exception {
    try (var server = ServerProcess.start(folder, environment(Map.of()));
        var pool = new HikariDataSource()) {
      assertThat(server.log()).contains("serving gRPC");
      pool.setJdbcUrl(bouncer.jdbcUrl(name));
      var database = new Database(pool);
      database.inTransaction(tx -> {
        new PartitionStore().createDay(tx, LocalDate.EPOCH.plusYears(50));
        return true;
      });

      var removed = new Retention(database, 30).prune(InstantSource.system().instant());

      assertThat(removed.days()).isEqualTo(1);
      assertThat(
              new Records(direct)
                  .number("SELECT count(*) FROM pg_class WHERE relname LIKE '%\\_20200101'"))
          .isZero();
    }
  }

  private Map<String, String> environment(Map<String, String> more) {
    var all = new HashMap<>(more);
    all.put("KAGZI_DATABASE_URL", bouncer.url(name));
    all.put("KAGZI_DATABASE_MIGRATE", "auto");
    return Map.copyOf(all);
  }

  private static long unexpected(ServerProcess server) {
    return server
        .log()
        .lines()
        .filter(line -> line.matches(".*\\b(WARN|ERROR)\\b.*") && !line.contains(DEAF))
        .peek(line -> Figures.print("unexpected", line))
        .count();
  }

  private static void tryEverything(String figure, ServerProcess one, ServerProcess two)
      throws Exception {
    Worker worker = Essentials.register(Worker.builder(two.address(), Essentials.QUEUE)).build();
    var working = Thread.ofPlatform().daemon().start(worker::run);
    try (var client = KagziClient.connect(one.address())) {
      var essentials = new Essentials(client);
      essentials.stepsAndSleep();
      essentials.event();
      essentials.children();
      essentials.schedule();
      essentials.batch(one.address());
      Duration slowest = Duration.ZERO;
      long began = System.nanoTime();
      for (int i = 0; i < WAKE_UPS; i++) {
        Duration took = essentials.wakeUp();
        slowest = took.compareTo(slowest) > 0 ? took : slowest;
      }
      Figures.printSeconds(
          figure + ".wake_up_mean",
          Duration.ofNanos(System.nanoTime() - began).dividedBy(WAKE_UPS));
      Figures.printSeconds(figure + ".wake_up_slowest", slowest);
      assertThat(slowest).isLessThan(LONGEST_WAKE_UP);
    } finally {
      worker.close();
      working.join();
    }
  }
}
