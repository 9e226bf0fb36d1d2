package dev.kagzi.engine.interleaving;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** One connection of one actor, which stops at a gate before everything it sends. */
final class GatedDataSource implements AutoCloseable {

  private static final Set<String> SENT = Set.of("execute", "executeQuery", "executeUpdate");
  private static final Set<String> ENDS = Set.of("commit", "rollback");
  private static final String DEADLOCK = "40P01";

  private final Gate gate;
  private final Connection connection;
  private final int backend;
  private final AtomicBoolean lent = new AtomicBoolean();
  private final AtomicInteger deadlocks = new AtomicInteger();

  GatedDataSource(String url, Gate gate) throws SQLException {
    this.gate = gate;
    this.connection = DriverManager.getConnection(url);
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT pg_backend_pid()")) {
      row.next();
      this.backend = row.getInt(1);
    }
  }

  /** The process of the server that works for this connection. */
  int backend() {
    return backend;
  }

  /** How many statements the server gave up because of a deadlock. */
  int deadlocks() {
    return deadlocks.get();
  }

  DataSource dataSource() {
    return proxy(
        DataSource.class,
        (method, arguments) -> {
          if (!method.getName().equals("getConnection")) {
            throw new UnsupportedOperationException(method.getName());
          }
          if (!lent.compareAndSet(false, true)) {
            throw new IllegalStateException("an actor has one connection, and asked for a second");
          }
          return gatedConnection();
        });
  }

  private Connection gatedConnection() {
    return proxy(
        Connection.class,
        (method, arguments) -> {
          if (method.getName().equals("close")) {
            lent.set(false);
            return null;
          }
          if (ENDS.contains(method.getName())) {
            gate.pass(method.getName());
          }
          Object result = invoke(method, connection, arguments);
          return result instanceof PreparedStatement statement && arguments != null
              ? gatedStatement(statement, String.valueOf(arguments[0]))
              : result;
        });
  }

  private PreparedStatement gatedStatement(PreparedStatement statement, String sql) {
    return proxy(
        PreparedStatement.class,
        (method, arguments) -> {
          if (SENT.contains(method.getName())) {
            gate.pass(firstWords(sql));
          }
          return invoke(method, statement, arguments);
        });
  }

  /** Enough of a statement to be told from the others. */
  private static String firstWords(String sql) {
    String line = sql.replaceAll("\\s+", " ").strip();
    return line.substring(0, Math.min(line.length(), 60));
  }

  private @Nullable Object invoke(Method method, Object target, Object @Nullable [] arguments)
      throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException failure) {
      if (failure.getCause() instanceof SQLException refused
          && DEADLOCK.equals(refused.getSQLState())) {
        deadlocks.incrementAndGet();
      }
      throw failure.getCause();
    }
  }

  @FunctionalInterface
  private interface Handler {
    @Nullable Object handle(Method method, Object @Nullable [] arguments) throws Throwable;
  }

  private static <T> T proxy(Class<T> type, Handler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> handler.handle(method, arguments)));
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
