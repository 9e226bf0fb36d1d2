package dev.kagzi.engine.jdbc;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** One statement about to run: bind every parameter by name, then ask for its rows or its count. */
public final class Query {

  private final Connection connection;
  private final NamedSql sql;
  private final @Nullable Plans opening;
  private final Map<String, @Nullable Object> values = new HashMap<>();

  /**
   * @param opening how its transaction is planned, if it is the first of it
   */
  Query(Connection connection, NamedSql sql, @Nullable Plans opening) {
    this.connection = connection;
    this.sql = sql;
    this.opening = opening;
  }

  /** Binds a scalar: text, number, boolean, UUID, instant, bytes or null. */
  public Query set(String name, @Nullable Object value) {
    values.put(name, value);
    return this;
  }

  /**
   * Binds an array with one element per item; all arrays of a statement list the same items, and at
   * least one of them has no nulls.
   */
  public <S> Query uuids(String name, Collection<S> items, Function<S, @Nullable UUID> element) {
    return array(name, "uuid", items, element, UUID[]::new);
  }

  public <S> Query texts(String name, Collection<S> items, Function<S, @Nullable String> element) {
    return array(name, "text", items, element, String[]::new);
  }

  public <S> Query ints(String name, Collection<S> items, Function<S, @Nullable Integer> element) {
    return array(name, "int4", items, element, Integer[]::new);
  }

  public <S> Query longs(String name, Collection<S> items, Function<S, @Nullable Long> element) {
    return array(name, "int8", items, element, Long[]::new);
  }

  public <S> Query booleans(
      String name, Collection<S> items, Function<S, @Nullable Boolean> element) {
    return array(name, "bool", items, element, Boolean[]::new);
  }

  public <S> Query instants(
      String name, Collection<S> items, Function<S, @Nullable Instant> element) {
    return array(name, "timestamptz", items, element, Instant[]::new);
  }

  public <S> Query byteArrays(
      String name, Collection<S> items, Function<S, byte @Nullable []> element) {
    byte[] @Nullable [] elements = new byte[items.size()] @Nullable [];
    int known = 0;
    int i = 0;
    for (S item : items) {
      byte @Nullable [] bytes = element.apply(item);
      known += bytes == null ? 0 : 1;
      elements[i++] = bytes;
    }
    return set(name, new ArrayValue("bytea", known == 0 ? new byte[0][] : elements));
  }

  /**
   * Most of what can be said of a run or a step is said of hardly any, so what is null for all is
   * not sent: {@code unnest} fills up with nulls what is shorter than the array beside it.
   *
   * @param make an array of the element's own class: only such are sent in binary form
   */
  private <S, E> Query array(
      String name,
      String type,
      Collection<S> items,
      Function<S, ? extends @Nullable E> element,
      IntFunction<@Nullable E[]> make) {
    @Nullable E[] elements = make.apply(items.size());
    int known = 0;
    int i = 0;
    for (S item : items) {
      E value = element.apply(item);
      known += value == null ? 0 : 1;
      elements[i++] = value;
    }
    return set(name, new ArrayValue(type, known == 0 ? make.apply(0) : elements));
  }

  /** All rows, in the order the database gave them. */
  public <T> List<T> list(Function<Row, T> read) {
    try (PreparedStatement statement = executed();
        ResultSet results = statement.getResultSet()) {
      Row row = new Row(results);
      List<T> list = new ArrayList<>();
      while (results.next()) {
        list.add(read.apply(row));
      }
      return list;
    } catch (SQLException failure) {
      throw new DatabaseException("query", failure);
    }
  }

  /** The rows of several statements that are sent as one, each read in its own way. */
  public void each(List<Consumer<Row>> readers) {
    try (PreparedStatement statement = executed()) {
      for (int i = 0; i < readers.size(); i++) {
        try (ResultSet results = statement.getResultSet()) {
          Row row = new Row(results);
          while (results.next()) {
            readers.get(i).accept(row);
          }
          statement.getMoreResults(Statement.KEEP_CURRENT_RESULT);
        }
      }
    } catch (SQLException failure) {
      throw new DatabaseException("query", failure);
    }
  }

  /** The only row, or nothing. */
  public <T> Optional<T> first(Function<Row, T> read) {
    List<T> rows = list(read);
    if (rows.size() > 1) {
      throw new IllegalStateException("expected at most one row, got " + rows.size());
    }
    return rows.isEmpty() ? Optional.empty() : Optional.of(rows.get(0));
  }

  /** The only row of a statement that always has one. */
  public <T> T only(Function<Row, T> read) {
    return first(read).orElseThrow(() -> new IllegalStateException("expected a row, got none"));
  }

  /** Runs it and returns how many rows it changed. */
  public int update() {
    try (PreparedStatement statement = executed()) {
      return statement.getUpdateCount();
    } catch (SQLException failure) {
      throw new DatabaseException("statement", failure);
    }
  }

  /** Runs a statement that returns nothing of interest, DDL for example. */
  public void execute() {
    try {
      executed().close();
    } catch (SQLException failure) {
      throw new DatabaseException("statement", failure);
    }
  }

  /** The statement with its result at hand. */
  private PreparedStatement executed() throws SQLException {
    PreparedStatement statement = prepare();
    try {
      statement.execute();
      if (opening != null) {
        skipOpening(statement);
      }
      return statement;
    } catch (SQLException | RuntimeException failure) {
      statement.close();
      throw failure;
    }
  }

  private void skipOpening(PreparedStatement statement) throws SQLException {
    boolean outdated;
    try (ResultSet said = statement.getResultSet()) {
      said.next();
      outdated = said.getBoolean("outdated");
      statement.getMoreResults(Statement.KEEP_CURRENT_RESULT);
    }
    if (outdated) {
      try (Statement renewal = connection.createStatement()) {
        renewal.execute(Plans.RENEWAL);
      }
    }
  }

  private PreparedStatement prepare() throws SQLException {
    PreparedStatement statement =
        connection.prepareStatement(opening == null ? sql.jdbc() : sql.openings().get(opening));
    int position = 1;
    for (String name : sql.parameters()) {
      if (!values.containsKey(name)) {
        throw new IllegalStateException("parameter :" + name + " is not bound");
      }
      bind(statement, position++, values.get(name));
    }
    return statement;
  }

  private void bind(PreparedStatement statement, int position, @Nullable Object value)
      throws SQLException {
    switch (value) {
      case null -> statement.setNull(position, Types.NULL);
      case Instant instant -> statement.setObject(position, instant.atOffset(ZoneOffset.UTC));
      case byte[] bytes -> statement.setBytes(position, bytes);
      case ArrayValue array -> statement.setArray(position, array.in(connection));
      default -> statement.setObject(position, value);
    }
  }

  private static final class ArrayValue {
    private final String type;
    private final @Nullable Object[] elements;

    ArrayValue(String type, @Nullable Object[] elements) {
      this.type = type;
      this.elements = elements;
    }

    Array in(Connection connection) throws SQLException {
      return switch (elements) {
        case UUID[] ids -> BinaryArrays.ofIds(connection, ids);
        case Instant[] instants -> BinaryArrays.ofInstants(connection, instants);
        default -> connection.createArrayOf(type, elements);
      };
    }
  }
}
