package dev.kagzi.engine;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/** Counts the transactions that go through a data source. */
public final class CountingDataSource {

  private final AtomicLong commits = new AtomicLong();
  private final AtomicLong deadlocks = new AtomicLong();
  private final Queue<String> statements = new ConcurrentLinkedQueue<>();
  private final DataSource counted;

  public CountingDataSource(DataSource target) {
    this.counted =
        wrap(
            DataSource.class,
            target,
            result ->
                result instanceof Connection connection
                    ? wrap(Connection.class, connection, this::watched)
                    : result);
  }

  public DataSource dataSource() {
    return counted;
  }

  public long commits() {
    return commits.get();
  }

  private Object watched(Object result) {
    return result instanceof PreparedStatement statement
        ? wrap(PreparedStatement.class, statement, unchanged -> unchanged)
        : result;
  }

  /** How many statements the database ended because they had deadlocked. */
  public long deadlocks() {
    return deadlocks.get();
  }

  /** How many statements were run that contain this; another may stand ahead of it. */
  public int statements(String text) {
    return (int) statements.stream().filter(sql -> sql.contains(text)).count();
  }

  private interface Change {
    Object apply(Object result);
  }

  private <T> T wrap(Class<T> type, T target, Change change) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              if (method.getName().equals("commit")) {
                commits.incrementAndGet();
              }
              if (method.getName().equals("prepareStatement")) {
                statements.add(String.valueOf(arguments[0]));
              }
              try {
                return change.apply(method.invoke(target, arguments));
              } catch (InvocationTargetException failure) {
                if (failure.getCause() instanceof SQLException refused
                    && "40P01".equals(refused.getSQLState())) {
                  deadlocks.incrementAndGet();
                }
                throw failure.getCause();
              }
            }));
  }
}
