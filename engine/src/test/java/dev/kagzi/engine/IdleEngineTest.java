package dev.kagzi.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.operation.Poll;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated
class IdleEngineTest {

  private static final Duration WATCHED = Duration.ofSeconds(10);

  /** Sessions of PostgreSQL tell what they have done ten seconds later at the latest. */
  private static final Duration TOLD = Duration.ofSeconds(11);

  @Test
  void makesAtMostThreeTransactionsInTwoSecondsWhileAThousandPollsWait() {
    try (HikariDataSource pool = TestEngine.migratedDatabase()) {
      CountingDataSource counting = new CountingDataSource(pool);
      try (TestEngine kagzi = TestEngine.on(counting.dataSource())) {
        WorkerId worker = kagzi.registerWorker();
        for (int i = 0; i < 1000; i++) {
          poll(kagzi, worker);
        }
        letPass(TOLD);
        long before = counting.commits();
        long seenBefore = transactionsSeen(pool);
        letPass(WATCHED);

        double perSecond = (counting.commits() - before) / (double) WATCHED.toSeconds();
        double seen = (transactionsSeen(pool) - seenBefore) / (double) WATCHED.toSeconds();
        System.out.printf("idle.transactions_per_s: %.2f%n", perSecond);
        System.out.printf("idle.transactions_seen_by_postgres_per_s: %.2f%n", seen);
        assertThat(perSecond).isBetween(0.5, 1.4);
        assertThat(seen).isLessThan(3.5);
      }
    }
  }

  /** With those in which the pool asks its connections whether they live, and this one. */
  private static long transactionsSeen(HikariDataSource pool) {
    return new Database(pool)
        .inTransaction(tx ->
            tx.query(
                    "SELECT xact_commit + xact_rollback AS seen FROM pg_stat_database"
                        + " WHERE datname = current_database()")
                .only(row -> row.bigint("seen")));
  }

  private static void poll(TestEngine kagzi, WorkerId worker) {
    Poll.Request request = Poll.Request.of(worker, TestEngine.QUEUE, List.of(TestEngine.TYPE), 1);
    kagzi.engine().tasks().poll(request, Duration.ofSeconds(30), new NobodyHome());
  }

  private static void letPass(Duration time) {
    await().pollDelay(time).timeout(time.plusSeconds(5)).until(() -> true);
  }

  private static final class NobodyHome implements Poll.Listener {
    @Override
    public boolean tasks(List<Task> tasks) {
      return false;
    }

    @Override
    public void empty() {}
  }
}
