package dev.kagzi.faults;

import dev.kagzi.faults.FaultyDataSource.Moment;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A data source that does to its connections what a plan says, for real: sockets are closed,
 * backends killed. Whoever it has let die can neither read nor write any more. Thread-safe.
 */
public final class PlannedFaults {

  private static final String CONNECTION_FAILURE = "08006";

  /** Not a state that anybody would wait for to pass: a dead server's threads are to stop. */
  private static final String DEAD = "58000";

  /** As a process has it that was killed. */
  private static final int EXIT_CODE = 137;

  private static final Duration DELAY = Duration.ofMillis(50);
  private static final String END_ONESELF = "SELECT pg_terminate_backend(pg_backend_pid())";

  private final DataSource target;
  private final FaultPlan plan;
  private final DataSource faulty;
  private final Set<Connection> lent = ConcurrentHashMap.newKeySet();
  private final Map<Fault, Integer> hits = new ConcurrentHashMap<>();
  private final CountDownLatch death = new CountDownLatch(1);
  private volatile boolean dead;

  public PlannedFaults(DataSource target, FaultPlan plan) {
    this.target = target;
    this.plan = plan;
    this.faulty = proxy(DataSource.class, this::onDataSource);
  }

  public DataSource dataSource() {
    return faulty;
  }

  /** How often each fault has happened. */
  public Map<Fault, Integer> hits() {
    return Map.copyOf(hits);
  }

  /** Cuts off all connections and gives no others. */
  public void die() {
    dead = true;
    lent.forEach(PlannedFaults::cutOff);
    death.countDown();
  }

  /** Whether it died within a time. */
  public boolean awaitDeath(Duration limit) throws InterruptedException {
    return death.await(limit.toMillis(), TimeUnit.MILLISECONDS);
  }

  private Object onDataSource(Object proxy, Method method, Object @Nullable [] arguments)
      throws Throwable {
    if (!method.getName().equals("getConnection")) {
      return invoke(target, method, arguments);
    }
    refuseIfDead();
    Connection connection = (Connection) invoke(target, method, arguments);
    lent.add(connection);
    if (dead) {
      cutOff(connection);
    }
    refuseIfDead();
    return proxy(Connection.class, new FaultyConnection(connection));
  }

  private void refuseIfDead() throws SQLException {
    if (dead) {
      throw new SQLException("died on purpose", DEAD);
    }
  }

  private static void cutOff(Connection connection) {
    try {
      connection.unwrap(Connection.class).abort(Runnable::run);
    } catch (SQLException closed) {
      // Then it is cut off already.
    }
  }

  /** A connection as it was lent, for one transaction after the other. */
  private final class FaultyConnection implements InvocationHandler {

    private final Connection connection;
    private @Nullable Fault planned;

    FaultyConnection(Connection connection) {
      this.connection = connection;
    }

    @Override
    public Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
        throws Throwable {
      return switch (method.getName()) {
        case "prepareStatement" -> prepare(method, arguments);
        case "createStatement" -> proxy(Statement.class, statement(method, arguments, ""));
        case "commit" -> commit(method);
        case "rollback" -> {
          planned = null;
          yield PlannedFaults.invoke(connection, method, arguments);
        }
        case "close" -> {
          lent.remove(connection);
          yield PlannedFaults.invoke(connection, method, arguments);
        }
        default -> PlannedFaults.invoke(connection, method, arguments);
      };
    }

    private Object prepare(Method method, Object @Nullable [] arguments) throws Throwable {
      String sql = arguments == null ? "" : String.valueOf(arguments[0]);
      return proxy(PreparedStatement.class, statement(method, arguments, sql));
    }

    private FaultyStatement statement(Method method, Object @Nullable [] arguments, String sql)
        throws Throwable {
      refuseIfDead();
      Object made = PlannedFaults.invoke(connection, method, arguments);
      return new FaultyStatement(this, (Statement) made, sql);
    }

    private Object commit(Method method) throws Throwable {
      ask(FaultPlan.COMMIT);
      strikeIf(Moment.BEFORE_THE_STATEMENT);
      strikeIf(Moment.BEFORE_THE_COMMIT);
      Object nothing = PlannedFaults.invoke(connection, method, null);
      strikeIf(Moment.AFTER_THE_STATEMENT);
      strikeIf(Moment.AFTER_THE_COMMIT);
      planned = null;
      return nothing;
    }

    boolean commitsByItself() throws SQLException {
      return connection.getAutoCommit();
    }

    /** Says whether the commit is held back, which it is only for who strikes before it. */
    boolean holdBackCommit() throws SQLException {
      Fault fault = planned;
      boolean holdsBack =
          fault != null
              && (fault.moment() == Moment.AFTER_THE_STATEMENT
                  || fault.moment() == Moment.BEFORE_THE_COMMIT);
      if (holdsBack) {
        connection.setAutoCommit(false);
      }
      return holdsBack;
    }

    void commitByItselfAgain() throws SQLException {
      connection.commit();
      connection.setAutoCommit(true);
    }

    void forget() {
      planned = null;
    }

    void ask(String sql) throws SQLException {
      refuseIfDead();
      if (planned == null) {
        planned = plan.next(sql);
      }
    }

    void strikeIf(Moment moment) throws SQLException {
      Fault fault = planned;
      if (fault != null && fault.moment() == moment) {
        planned = null;
        hits.merge(fault, 1, Integer::sum);
        strike(fault.action());
      }
    }

    private void strike(Fault.Action action) throws SQLException {
      switch (action) {
        case LOSE_CONNECTION -> {
          cutOff(connection);
          throw new SQLException("lost on purpose", CONNECTION_FAILURE);
        }
        case DELAY -> pause();
        case KILL_BACKEND -> killBackend();
        case DIE -> {
          die();
          refuseIfDead();
        }
        case HALT -> Runtime.getRuntime().halt(EXIT_CODE);
      }
    }

    /** What is done next with the connection fails by itself. */
    private void killBackend() {
      try (Statement last = connection.createStatement()) {
        last.execute(END_ONESELF);
      } catch (SQLException ended) {
        // As intended.
      }
    }
  }

  /** Watches the executions of a statement. */
  private static final class FaultyStatement implements InvocationHandler {

    private final FaultyConnection owner;
    private final Statement statement;
    private final String sql;

    FaultyStatement(FaultyConnection owner, Statement statement, String sql) {
      this.owner = owner;
      this.statement = statement;
      this.sql = sql;
    }

    @Override
    public Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
        throws Throwable {
      if (!method.getName().startsWith("execute")) {
        return PlannedFaults.invoke(statement, method, arguments);
      }
      owner.ask(arguments == null ? sql : String.valueOf(arguments[0]));
      owner.strikeIf(Moment.BEFORE_THE_STATEMENT);
      return owner.commitsByItself() ? executeAlone(method, arguments) : execute(method, arguments);
    }

    private Object execute(Method method, Object @Nullable [] arguments) throws Throwable {
      Object result = PlannedFaults.invoke(statement, method, arguments);
      owner.strikeIf(Moment.AFTER_THE_STATEMENT);
      return result;
    }

    /** The statement is a transaction of its own: its commit is held back to strike before it. */
    private Object executeAlone(Method method, Object @Nullable [] arguments) throws Throwable {
      boolean heldBack = owner.holdBackCommit();
      Object result = execute(method, arguments);
      owner.strikeIf(Moment.BEFORE_THE_COMMIT);
      if (heldBack) {
        owner.commitByItselfAgain();
      }
      owner.strikeIf(Moment.AFTER_THE_COMMIT);
      owner.forget();
      return result;
    }
  }

  private static void pause() {
    try {
      Thread.sleep(DELAY);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private static Object invoke(Object target, Method method, Object @Nullable [] arguments)
      throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException failure) {
      throw failure.getCause();
    }
  }
}
