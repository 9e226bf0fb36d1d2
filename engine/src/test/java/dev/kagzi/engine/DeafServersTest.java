package dev.kagzi.engine;

import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.Telemetry;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.wakeup.PostgresListener;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

/**
 * Two servers that cannot hear each other, as behind a pooler in transaction mode: LISTEN is taken
 * and forgotten, because it went to another session than the one that is read. What is counted are
 * lines of the log, which all servers of the process share.
 */
@Isolated
class DeafServersTest {

  private final String url = TestEngine.migratedUrl();
  private final HikariDataSource clientPool = TestEngine.open(url);
  private final HikariDataSource workerPool = TestEngine.open(url);
  private final Logger log = (Logger) LoggerFactory.getLogger(PostgresListener.class);
  private final ListAppender<ILoggingEvent> said = new ListAppender<>();
  private Engine clientSide;
  private Engine workerSide;

  @BeforeEach
  void start() {
    said.start();
    log.addAppender(said);
    clientSide =
        Engine.start(clientPool, deaf(clientPool), EngineConfig.defaults(), Telemetry.NONE);
    workerSide =
        Engine.start(workerPool, deaf(workerPool), EngineConfig.defaults(), Telemetry.NONE);
  }

  @AfterEach
  void stop() {
    clientSide.close();
    workerSide.close();
    clientPool.close();
    workerPool.close();
    log.detachAppender(said);
  }

  @Test
  void finishEachOthersRunsAndSayOnceWhyTheyAreSlow() throws Exception {
    TestEngine here = TestEngine.around(clientSide, clientPool);
    TestEngine there = TestEngine.around(workerSide, workerPool);
    WorkerId worker = there.registerWorker();
    await().atMost(Duration.ofSeconds(20)).until(() -> warnings().size() >= 2);
    CompletableFuture<Task> task = CompletableFuture.supplyAsync(() -> there.pollOne(worker));
    RunId runId = here.startRun();
    CompletableFuture<Run> answer = new CompletableFuture<>();
    clientSide
        .completions()
        .await(
            TestEngine.NAMESPACE,
            runId,
            Duration.ofSeconds(20),
            answer::complete,
            answer::completeExceptionally);

    workerSide
        .tasks()
        .finish(fence(task.get(10, TimeUnit.SECONDS)), new RunEnding.Completed(payload("1")));

    assertThat(answer.get(10, TimeUnit.SECONDS).status()).isEqualTo(RunStatus.COMPLETED);
    assertThat(clientSide.isListening() || workerSide.isListening()).isFalse();
    // One for each server, however often it has tried by now.
    await()
        .during(Duration.ofSeconds(5))
        .atMost(Duration.ofSeconds(20))
        .until(() -> warnings().size() == 2);
    assertThat(warnings()).allMatch(text -> text.contains("KAGZI_DATABASE_DIRECT_URL"));
  }

  private List<String> warnings() {
    synchronized (said) {
      return said.list.stream()
          .filter(event -> event.getLevel().toString().equals("WARN"))
          .map(ILoggingEvent::getFormattedMessage)
          .toList();
    }
  }

  private static DataSource deaf(DataSource source) {
    return wrap(
        DataSource.class,
        source,
        result ->
            result instanceof Connection connection
                ? wrap(Connection.class, connection, DeafServersTest::deafStatement)
                : result);
  }

  private static Object deafStatement(Object result) {
    return result instanceof Statement statement
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
