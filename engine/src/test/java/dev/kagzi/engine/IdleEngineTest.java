package dev.kagzi.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.operation.Poll;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated
class IdleEngineTest {

  private static final Duration WATCHED = Duration.ofSeconds(6);

  @Test
  void makesAtMostTwoTransactionsASecondWhileAThousandPollsWait() {
    try (HikariDataSource pool = TestEngine.migratedDatabase()) {
      CountingDataSource counting = new CountingDataSource(pool);
      try (TestEngine kagzi = TestEngine.on(counting.dataSource())) {
        WorkerId worker = kagzi.registerWorker();
        for (int i = 0; i < 1000; i++) {
          poll(kagzi, worker);
        }
        letPass(Duration.ofSeconds(1));
        long before = counting.commits();
        letPass(WATCHED);

        double perSecond = (counting.commits() - before) / (double) WATCHED.toSeconds();
        System.out.printf("idle.transactions_per_s: %.2f%n", perSecond);
        assertThat(perSecond).isBetween(0.5, 2.0);
      }
    }
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
