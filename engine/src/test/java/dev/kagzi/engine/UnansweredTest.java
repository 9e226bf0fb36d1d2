package dev.kagzi.engine;

import static dev.kagzi.engine.TestEngine.NAMESPACE;
import static dev.kagzi.engine.TestEngine.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.engine.commit.HeartbeatBatch.Heartbeat;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.store.WorkerStore.Beat;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What is not committed is not answered: a commit that fails is its caller's failure. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class UnansweredTest {

  /** One that is no reason to try again. */
  private static final String CONSTRAINT_VIOLATION = "23000";

  private final HikariDataSource pool = TestEngine.migratedDatabase();
  private volatile boolean refusing;
  private TestEngine kagzi;

  @BeforeAll
  void start() {
    kagzi = TestEngine.on(refusingCommits());
  }

  @AfterAll
  void stop() {
    kagzi.close();
    pool.close();
  }

  /** Refuses what the commit lanes write, while it is told to. */
  private DataSource refusingCommits() {
    return wrap(DataSource.class, pool);
  }

  private <T> T wrap(Class<T> type, T target) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              if (method.getName().equals("commit")
                  && refusing
                  && Thread.currentThread().getName().startsWith("kagzi-commit")) {
                throw new SQLException("refused on purpose", CONSTRAINT_VIOLATION);
              }
              try {
                Object result = method.invoke(target, arguments);
                return result instanceof Connection connection && !isLookInside(method)
                    ? wrap(Connection.class, connection)
                    : result;
              } catch (InvocationTargetException failure) {
                throw failure.getCause();
              }
            }));
  }

  /** Who looks for the driver behind the connection gets just that. */
  private static boolean isLookInside(Method method) {
    return method.getName().equals("unwrap");
  }

  private void assertUnanswered(Runnable call) {
    refusing = true;
    try {
      assertThatThrownBy(call::run).hasStackTraceContaining("refused on purpose");
    } finally {
      refusing = false;
    }
  }

  @Test
  void aStartIsAnsweredAfterItsCommit() {
    assertUnanswered(() -> kagzi.engine().workflows().start(request().externalId("a").build()));

    assertThatThrownBy(() -> kagzi.engine().workflows().idOf(NAMESPACE, "a"))
        .hasMessageContaining("no run has the external id");
  }

  @Test
  void aHeartbeatIsAnsweredAfterItsCommit() {
    WorkerId worker = kagzi.registerWorker();
    var beat = new Heartbeat(new Beat(NAMESPACE, worker, 0, 0, 0, 0), List.of());

    assertUnanswered(() -> kagzi.engine().workers().heartbeat(beat));

    assertThat(kagzi.engine().workers().heartbeat(beat).accepted()).isTrue();
  }
}
