package dev.kagzi.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.net.http.HttpTimeoutException;
import java.nio.file.NoSuchFileException;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ErrorClassifierTest {

  /** What an HTTP client may throw. */
  static final class Plain extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final int status;

    Plain(int status) {
      this.status = status;
    }

    public int statusCode() {
      return status;
    }
  }

  record Code(int value) {}

  /** What a framework with a type for status codes may throw. */
  static final class Typed extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final transient Code code;

    Typed(int status) {
      this.code = new Code(status);
    }

    public Code getStatusCode() {
      return code;
    }
  }

  @Test
  void knowsJavasOwnExceptions() {
    assertThat(kind(new IOException())).contains(ErrorKind.NETWORK_ERROR);
    assertThat(kind(new EOFException())).contains(ErrorKind.NETWORK_ERROR);
    assertThat(kind(new ConnectException())).contains(ErrorKind.NETWORK_ERROR);
    assertThat(kind(new UnknownHostException())).contains(ErrorKind.NETWORK_ERROR);
    assertThat(kind(new SocketTimeoutException())).contains(ErrorKind.TIMEOUT);
    assertThat(kind(new HttpTimeoutException(""))).contains(ErrorKind.TIMEOUT);
    assertThat(kind(new TimeoutException())).contains(ErrorKind.TIMEOUT);
    assertThat(kind(new FileNotFoundException())).isEmpty();
    assertThat(kind(new NoSuchFileException(""))).isEmpty();
    assertThat(kind(new IllegalArgumentException())).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "08006, NETWORK_ERROR",
    "23505, VALIDATION_ERROR",
    "22001, VALIDATION_ERROR",
    "28P01, UNAUTHORIZED",
    "42501, UNAUTHORIZED",
    "42601, BAD_REQUEST",
    "40001, DATABASE_ERROR",
    "53300, DATABASE_ERROR",
    "57P01, DATABASE_ERROR",
    "57014, TIMEOUT",
    "XX000, DATABASE_ERROR"
  })
  void goesByTheStateOfDatabaseErrors(String state, ErrorKind expected) {
    assertThat(kind(new SQLException("no", state))).contains(expected);
  }

  @Test
  void goesByTheClassOfDatabaseErrorsWithoutAState() {
    assertThat(kind(new SQLException("no"))).contains(ErrorKind.DATABASE_ERROR);
    assertThat(kind(new SQLTimeoutException("no"))).contains(ErrorKind.TIMEOUT);
    assertThat(kind(new SQLTransientConnectionException())).contains(ErrorKind.DATABASE_ERROR);
  }

  @ParameterizedTest
  @CsvSource({
    "429, RATE_LIMIT_EXCEEDED",
    "503, SERVICE_UNAVAILABLE",
    "502, SERVICE_UNAVAILABLE",
    "504, TIMEOUT",
    "408, TIMEOUT",
    "404, NOT_FOUND",
    "401, UNAUTHORIZED",
    "403, UNAUTHORIZED",
    "400, BAD_REQUEST",
    "422, VALIDATION_ERROR"
  })
  void goesByTheStatusThatAnExceptionCarries(int status, ErrorKind expected) {
    assertThat(kind(new Plain(status))).contains(expected);
    assertThat(kind(new Typed(status))).contains(expected);
  }

  @Test
  void leavesOtherStatusesOpen() {
    assertThat(kind(new Plain(500))).isEmpty();
    assertThat(kind(new Plain(14))).isEmpty();
  }

  @Test
  void asksTheNextOneAboutWhatIsLeftOpen() {
    ErrorClassifier own =
        error ->
            error instanceof IllegalStateException
                ? Optional.of(ErrorKind.BAD_REQUEST)
                : Optional.empty();
    ErrorClassifier both = own.orElse(ErrorClassifier.standard());

    assertThat(both.classify(new IllegalStateException())).contains(ErrorKind.BAD_REQUEST);
    assertThat(both.classify(new ConnectException())).contains(ErrorKind.NETWORK_ERROR);
  }

  private static Optional<ErrorKind> kind(Throwable error) {
    return ErrorClassifier.standard().classify(error);
  }
}
