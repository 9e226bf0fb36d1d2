package dev.kagzi.faults;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Loses connections in transactions with a certain statement, as when a server or its database
 * dies: really, by closing the socket, and at a moment that a seeded random chooses. The caller
 * cannot tell one moment from another.
 */
public final class FaultyDataSource {

  /** When the connection is lost. */
  public enum Moment {
    /** The statement never reaches the database. */
    BEFORE_THE_STATEMENT,
    /** The statement is done and will be undone. */
    BEFORE_THE_COMMIT,
    /** It is done for good, but nobody says so. */
    AFTER_THE_COMMIT
  }

  private static final String CONNECTION_FAILURE = "08006";
  private static final Moment[] MOMENTS = Moment.values();

  private final DataSource target;
  private final String marker;
  private final Random random;
  private final Map<Moment, Integer> losses = new ConcurrentHashMap<>();
  private final DataSource faulty;
  private int left;
  private boolean insisting;

  /**
   * @param marker a part of the statement
   * @param losses how many there will be in all; then it is a data source as any other
   */
  public FaultyDataSource(DataSource target, String marker, long seed, int losses) {
    this.target = target;
    this.marker = marker;
    this.random = new Random(seed);
    this.left = losses;
    this.faulty = proxy(DataSource.class, this::onDataSource);
  }

  public DataSource dataSource() {
    return faulty;
  }

  /** From now on every such transaction is hit, until told otherwise; else two of three. */
  public synchronized void insist(boolean always) {
    insisting = always;
  }

  public synchronized boolean isSpent() {
    return left == 0;
  }

  /** How many connections were lost at each moment. */
  public Map<Moment, Integer> losses() {
    return Map.copyOf(losses);
  }

  private synchronized @Nullable Moment draw() {
    if (left == 0 || (random.nextInt(3) == 0 && !insisting)) {
      return null;
    }
    left--;
    return MOMENTS[random.nextInt(MOMENTS.length)];
  }

  private Object onDataSource(Object proxy, Method method, Object @Nullable [] arguments)
      throws Throwable {
    Object result = invoke(target, method, arguments);
    return result instanceof Connection connection
        ? proxy(Connection.class, new FaultyConnection(connection))
        : result;
  }

  /** A connection as it was lent, for one transaction. */
  private final class FaultyConnection implements InvocationHandler {

    private final Connection connection;
    private @Nullable Moment planned;

    FaultyConnection(Connection connection) {
      this.connection = connection;
    }

    @Override
    public Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
        throws Throwable {
      if (method.getName().equals("prepareStatement")
          && arguments != null
          && String.valueOf(arguments[0]).contains(marker)) {
        planned = draw();
        loseIf(Moment.BEFORE_THE_STATEMENT);
      }
      boolean commits = method.getName().equals("commit");
      if (commits) {
        loseIf(Moment.BEFORE_THE_COMMIT);
      }
      Object result = FaultyDataSource.invoke(connection, method, arguments);
      if (commits) {
        loseIf(Moment.AFTER_THE_COMMIT);
      }
      return result;
    }

    private void loseIf(Moment moment) throws SQLException {
      if (planned == moment) {
        planned = null;
        losses.merge(moment, 1, Integer::sum);
        connection.unwrap(Connection.class).abort(Runnable::run);
        throw new SQLException("lost on purpose", CONNECTION_FAILURE);
      }
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
