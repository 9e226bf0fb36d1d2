package dev.kagzi.engine.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.kagzi.engine.TestEngine;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.Telemetry;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.wakeup.WorkSignals;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Claims that were committed although nobody heard of it. */
class LostClaimTest {

  private static final Duration LEASE = Duration.ofMinutes(10);

  /** Longer than the pauses between the repeats of a transaction, shorter than those of claims. */
  private static final Duration GIVEN_UP = Duration.ofMillis(320);

  private final TestEngine kagzi = TestEngine.start();
  private final Timers timers = new Timers();
  private final WorkSignals signals = new WorkSignals((queue, at) -> {});
  private final AtomicInteger commits = new AtomicInteger();
  private volatile boolean loseNextCommit;
  private volatile boolean down;
  private volatile long refusedAt;
  private Dispatcher dispatcher;

  @BeforeEach
  void start() {
    dispatcher =
        Dispatcher.over(
            new Database(unreliable()),
            kagzi.engine().clock(),
            LEASE,
            signals,
            timers,
            Telemetry.NONE);
  }

  @AfterEach
  void stop() {
    dispatcher.close();
    timers.close();
    kagzi.close();
  }

  @Test
  void areReadBackAtOnce() {
    CompletableFuture<List<Task>> answer = waitForWork();
    loseNextCommit = true;

    RunId runId = kagzi.startRun();
    signals.workReady(TestEngine.QUEUE);

    assertClaimedOnce(answer, runId);
  }

  @Test
  void areReadBackAfterTheClaimWasGivenUp() {
    CompletableFuture<List<Task>> answer = waitForWork();
    loseNextCommit = true;
    down = true;

    RunId runId = kagzi.startRun();
    signals.workReady(TestEngine.QUEUE);
    await().until(() -> refusedAt != 0);
    await().pollInterval(Duration.ofMillis(10)).until(this::isGivenUp);
    down = false;

    assertClaimedOnce(answer, runId);
  }

  /** Nobody has tried for a while, and nobody has tried again yet. */
  private boolean isGivenUp() {
    return System.nanoTime() - refusedAt > GIVEN_UP.toNanos();
  }

  private static void assertClaimedOnce(CompletableFuture<List<Task>> answer, RunId runId) {
    List<Task> tasks = answer.orTimeout(20, TimeUnit.SECONDS).join();
    assertThat(tasks).extracting(task -> task.claim().runId()).containsExactly(runId);
    assertThat(tasks).extracting(task -> task.claim().epoch()).containsExactly(1);
  }

  /** A poll that has looked once and found nothing. */
  private CompletableFuture<List<Task>> waitForWork() {
    CompletableFuture<List<Task>> answer = new CompletableFuture<>();
    dispatcher.poll(
        new Poll.Request(
            kagzi.registerWorker(),
            TestEngine.QUEUE,
            List.of(TestEngine.TYPE),
            1,
            UUID.randomUUID()),
        Duration.ofSeconds(15),
        new Poll.Listener() {
          @Override
          public boolean tasks(List<Task> tasks) {
            return answer.complete(tasks);
          }

          @Override
          public void empty() {
            answer.complete(List.of());
          }
        });
    await().until(() -> commits.get() > 0);
    return answer;
  }

  /** Loses the answer to a commit when told to, and then is down for as long as it is told to. */
  private DataSource unreliable() {
    return (DataSource)
        proxy(
            DataSource.class,
            (proxy, method, arguments) -> {
              if (down && !loseNextCommit) {
                refusedAt = System.nanoTime();
                throw new SQLException("nobody there", "08001");
              }
              return unreliable(kagzi.connection());
            });
  }

  private Object unreliable(Connection connection) {
    return proxy(
        Connection.class,
        (proxy, method, arguments) -> {
          Object result = invoke(connection, method, arguments);
          if (method.getName().equals("commit")) {
            commits.incrementAndGet();
            loseIfTold();
          }
          return result;
        });
  }

  private void loseIfTold() throws SQLException {
    if (loseNextCommit) {
      loseNextCommit = false;
      throw new SQLException("lost while committing", "08006");
    }
  }

  private static Object proxy(Class<?> type, InvocationHandler handler) {
    return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler);
  }

  private static Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException failure) {
      throw failure.getCause();
    }
  }
}
