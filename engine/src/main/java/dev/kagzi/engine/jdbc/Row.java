package dev.kagzi.engine.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The current row of a result, read by column name. Valid only while the reader runs. */
public final class Row {

  @FunctionalInterface
  private interface Getter<T extends @Nullable Object> {
    T get() throws SQLException;
  }

  private final ResultSet results;

  Row(ResultSet results) {
    this.results = results;
  }

  public UUID uuid(String column) {
    return required(column, uuidOrNull(column));
  }

  public @Nullable UUID uuidOrNull(String column) {
    return read(() -> results.getObject(column, UUID.class));
  }

  public String text(String column) {
    return required(column, textOrNull(column));
  }

  public @Nullable String textOrNull(String column) {
    return read(() -> results.getString(column));
  }

  public int integer(String column) {
    return read(() -> results.getInt(column));
  }

  public long bigint(String column) {
    return read(() -> results.getLong(column));
  }

  public boolean bool(String column) {
    return read(() -> results.getBoolean(column));
  }

  public Instant instant(String column) {
    return required(column, instantOrNull(column));
  }

  public @Nullable Instant instantOrNull(String column) {
    OffsetDateTime value = read(() -> results.getObject(column, OffsetDateTime.class));
    return value == null ? null : value.toInstant();
  }

  public byte @Nullable [] bytesOrNull(String column) {
    return read(() -> results.getBytes(column));
  }

  public byte[] bytes(String column) {
    return required(column, bytesOrNull(column));
  }

  private static <T> T required(String column, @Nullable T value) {
    if (value == null) {
      throw new IllegalStateException("column " + column + " is null");
    }
    return value;
  }

  private static <T extends @Nullable Object> T read(Getter<T> getter) {
    try {
      return getter.get();
    } catch (SQLException failure) {
      throw new DatabaseException("reading a row", failure);
    }
  }
}
