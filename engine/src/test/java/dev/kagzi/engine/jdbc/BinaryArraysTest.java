package dev.kagzi.engine.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.postgres.SharedPostgres;
import java.lang.reflect.Proxy;
import java.sql.Array;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BinaryArraysTest {

  private static final @Nullable UUID[] IDS = {
    UUID.fromString("01a1ed03-cc05-7043-9086-a77cc5e8ee6c"), null, new UUID(-1, -1)
  };
  private static final String IDS_AS_TEXT =
      "{01a1ed03-cc05-7043-9086-a77cc5e8ee6c,NULL,ffffffff-ffff-ffff-ffff-ffffffffffff}";

  /** Before and after the year 2000, at the ends of a microsecond, and far away. */
  private static final @Nullable Instant[] INSTANTS = {
    Instant.parse("1999-12-31T23:59:59.999999Z"),
    null,
    Instant.parse("2026-02-03T04:05:06.0000015Z"),
    Instant.parse("2026-02-03T04:05:06.000001499Z"),
    Instant.parse("2026-02-03T04:05:06.999999999Z"),
    Instant.EPOCH,
    Instant.parse("9999-12-31T23:59:59Z")
  };

  private Connection connection;

  @BeforeEach
  void connect() throws SQLException {
    connection = DriverManager.getConnection(SharedPostgres.freshDatabase());
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
  }

  @Test
  void idsArriveAsTheyAre() throws SQLException {
    assertThat(asText("uuid", BinaryArrays.ofIds(connection, IDS))).isEqualTo(IDS_AS_TEXT);
    assertThat(asText("uuid", BinaryArrays.ofIds(connection, new UUID[0]))).isEqualTo("{}");
  }

  @Test
  void instantsArriveAsIfTheyHadBeenSentAsText() throws SQLException {
    Connection other = hidingItsDriver(connection);

    assertThat(asText("timestamptz", BinaryArrays.ofInstants(connection, INSTANTS)))
        .isEqualTo(asText("timestamptz", BinaryArrays.ofInstants(other, INSTANTS)))
        .contains("04:05:06.000001")
        .contains("NULL");
    assertThat(asText("timestamptz", BinaryArrays.ofInstants(connection, new Instant[0])))
        .isEqualTo("{}");
  }

  @Test
  void aConnectionThatHidesItsDriverGetsText() throws SQLException {
    Array ids = BinaryArrays.ofIds(hidingItsDriver(connection), IDS);

    assertThat(asText("uuid", ids)).isEqualTo(IDS_AS_TEXT);
  }

  private String asText(String type, Array array) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT (?::%s[])::text".formatted(type))) {
      statement.setArray(1, array);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getString(1);
      }
    }
  }

  private static Connection hidingItsDriver(Connection connection) {
    return (Connection)
        Proxy.newProxyInstance(
            BinaryArraysTest.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) ->
                method.getName().equals("isWrapperFor")
                    ? false
                    : method.invoke(connection, arguments));
  }
}
