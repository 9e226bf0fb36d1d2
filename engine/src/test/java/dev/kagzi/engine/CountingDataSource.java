package dev.kagzi.engine;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/** Counts the transactions that go through a data source. */
public final class CountingDataSource {

  private final AtomicLong commits = new AtomicLong();
  private final DataSource counted;

  public CountingDataSource(DataSource target) {
    this.counted =
        wrap(
            DataSource.class,
            target,
            result ->
                result instanceof Connection connection
                    ? wrap(Connection.class, connection, unchanged -> unchanged)
                    : result);
  }

  public DataSource dataSource() {
    return counted;
  }

  public long commits() {
    return commits.get();
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
              try {
                return change.apply(method.invoke(target, arguments));
              } catch (InvocationTargetException failure) {
                throw failure.getCause();
              }
            }));
  }
}
