package dev.kagzi.engine.jdbc;

import java.nio.ByteBuffer;
import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.Oid;
import org.postgresql.jdbc.PgArray;

/**
 * Arrays that the driver would send as text, in PostgreSQL's binary form: writing and parsing ids
 * and times letter by letter costs both sides more than anything else about them. A connection that
 * hides its driver gets text.
 */
final class BinaryArrays {

  private static final int HEADER_BYTES = 20;
  private static final int LENGTH_BYTES = 4;
  private static final int ID_BYTES = 16;
  private static final int INSTANT_BYTES = 8;
  private static final int DIMENSIONS = 1;
  private static final int MAYBE_NULLS = 1;
  private static final int FIRST_INDEX = 1;
  private static final int NULL = -1;

  /** 2000-01-01T00:00:00Z, from which PostgreSQL counts its microseconds. */
  private static final long EPOCH_SECONDS = 946_684_800;

  private static final long MICROS_PER_SECOND = 1_000_000;
  private static final int NANOS_PER_MICRO = 1_000;

  private BinaryArrays() {}

  static Array ofIds(Connection connection, @Nullable UUID[] ids) throws SQLException {
    if (!connection.isWrapperFor(BaseConnection.class)) {
      return connection.createArrayOf("uuid", ids);
    }
    ByteBuffer bytes = begin(Oid.UUID, ids, ID_BYTES);
    for (UUID id : ids) {
      if (id == null) {
        bytes.putInt(NULL);
      } else {
        bytes
            .putInt(ID_BYTES)
            .putLong(id.getMostSignificantBits())
            .putLong(id.getLeastSignificantBits());
      }
    }
    return end(connection, Oid.UUID_ARRAY, bytes);
  }

  static Array ofInstants(Connection connection, @Nullable Instant[] instants) throws SQLException {
    if (!connection.isWrapperFor(BaseConnection.class)) {
      return connection.createArrayOf("timestamptz", texts(instants));
    }
    ByteBuffer bytes = begin(Oid.TIMESTAMPTZ, instants, INSTANT_BYTES);
    for (Instant instant : instants) {
      if (instant == null) {
        bytes.putInt(NULL);
      } else {
        bytes.putInt(INSTANT_BYTES).putLong(micros(instant));
      }
    }
    return end(connection, Oid.TIMESTAMPTZ_ARRAY, bytes);
  }

  /** Rounded as PostgreSQL rounds what it reads as text. */
  private static long micros(Instant instant) {
    long rounded = (instant.getNano() + NANOS_PER_MICRO / 2L) / NANOS_PER_MICRO;
    return (instant.getEpochSecond() - EPOCH_SECONDS) * MICROS_PER_SECOND + rounded;
  }

  private static @Nullable String[] texts(@Nullable Instant[] instants) {
    @Nullable String[] texts = new String[instants.length];
    for (int i = 0; i < instants.length; i++) {
      Instant instant = instants[i];
      texts[i] = instant == null ? null : instant.toString();
    }
    return texts;
  }

  private static ByteBuffer begin(int elementType, @Nullable Object[] elements, int elementBytes) {
    ByteBuffer bytes =
        ByteBuffer.allocate(HEADER_BYTES + elements.length * (LENGTH_BYTES + elementBytes));
    boolean empty = elements.length == 0;
    bytes.putInt(empty ? 0 : DIMENSIONS).putInt(MAYBE_NULLS).putInt(elementType);
    return empty ? bytes : bytes.putInt(elements.length).putInt(FIRST_INDEX);
  }

  private static Array end(Connection connection, int arrayType, ByteBuffer bytes)
      throws SQLException {
    byte[] used = new byte[bytes.position()];
    bytes.flip().get(used);
    return new PgArray(connection.unwrap(BaseConnection.class), arrayType, used);
  }
}
