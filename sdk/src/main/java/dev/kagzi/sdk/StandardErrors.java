package dev.kagzi.sdk;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The standard classification. Classes are known by their names, so that neither the database
 * module nor any HTTP client is needed for it.
 */
final class StandardErrors {

  private static final String SQL_EXCEPTION = "java.sql.SQLException";

  /** By the name of the class or the nearest superclass; {@code UNKNOWN} ends the search. */
  private static final Map<String, ErrorKind> KINDS =
      Map.ofEntries(
          Map.entry("java.util.concurrent.TimeoutException", ErrorKind.TIMEOUT),
          Map.entry("java.net.SocketTimeoutException", ErrorKind.TIMEOUT),
          Map.entry("java.net.http.HttpTimeoutException", ErrorKind.TIMEOUT),
          Map.entry("java.sql.SQLTimeoutException", ErrorKind.TIMEOUT),
          Map.entry("java.io.IOException", ErrorKind.NETWORK_ERROR),
          Map.entry("java.io.FileNotFoundException", ErrorKind.UNKNOWN),
          Map.entry("java.nio.file.FileSystemException", ErrorKind.UNKNOWN),
          Map.entry("java.nio.charset.CharacterCodingException", ErrorKind.UNKNOWN),
          Map.entry("com.fasterxml.jackson.core.JacksonException", ErrorKind.UNKNOWN),
          Map.entry("java.nio.channels.UnresolvedAddressException", ErrorKind.NETWORK_ERROR),
          Map.entry("java.sql.SQLTransientException", ErrorKind.DATABASE_ERROR),
          Map.entry(
              "java.sql.SQLIntegrityConstraintViolationException", ErrorKind.VALIDATION_ERROR),
          Map.entry("java.sql.SQLDataException", ErrorKind.VALIDATION_ERROR),
          Map.entry("java.sql.SQLSyntaxErrorException", ErrorKind.BAD_REQUEST),
          Map.entry("java.sql.SQLInvalidAuthorizationSpecException", ErrorKind.UNAUTHORIZED),
          Map.entry(SQL_EXCEPTION, ErrorKind.DATABASE_ERROR));

  private static final List<String> STATUS_METHODS =
      List.of("statusCode", "getStatusCode", "status", "getStatus", "getRawStatusCode");

  private static final List<String> NUMBER_METHODS =
      List.of("value", "statusCode", "getStatusCode", "code", "getCode");

  private StandardErrors() {}

  static Optional<ErrorKind> classify(Throwable error) {
    return bySqlState(error)
        .or(() -> byClass(error.getClass()))
        .or(() -> byStatus(error))
        .filter(kind -> kind != ErrorKind.UNKNOWN);
  }

  private static Optional<ErrorKind> byClass(Class<?> type) {
    for (Class<?> known = type; known != null; known = known.getSuperclass()) {
      ErrorKind kind = KINDS.get(known.getName());
      if (kind != null) {
        return Optional.of(kind);
      }
    }
    return Optional.empty();
  }

  private static Optional<ErrorKind> bySqlState(Throwable error) {
    for (Class<?> type = error.getClass(); type != null; type = type.getSuperclass()) {
      if (type.getName().equals(SQL_EXCEPTION)) {
        return call(type, error, "getSQLState") instanceof String state
            ? ofSqlState(state)
            : Optional.empty();
      }
    }
    return Optional.empty();
  }

  /** By the classes of the SQL standard and PostgreSQL; the rest is left to the Java class. */
  private static Optional<ErrorKind> ofSqlState(String state) {
    if (state.equals("57014")) {
      return Optional.of(ErrorKind.TIMEOUT);
    }
    if (state.equals("42501")) {
      return Optional.of(ErrorKind.UNAUTHORIZED);
    }
    return switch (state.length() < 2 ? "" : state.substring(0, 2)) {
      case "08" -> Optional.of(ErrorKind.NETWORK_ERROR);
      case "22", "23" -> Optional.of(ErrorKind.VALIDATION_ERROR);
      case "28" -> Optional.of(ErrorKind.UNAUTHORIZED);
      case "42" -> Optional.of(ErrorKind.BAD_REQUEST);
      case "40", "53", "55", "57", "58" -> Optional.of(ErrorKind.DATABASE_ERROR);
      default -> Optional.empty();
    };
  }

  private static Optional<ErrorKind> byStatus(Throwable error) {
    for (String name : STATUS_METHODS) {
      Integer status = number(call(error.getClass(), error, name));
      if (status != null) {
        return ofStatus(status);
      }
    }
    return Optional.empty();
  }

  private static @Nullable Integer number(@Nullable Object status) {
    if (status == null || status instanceof Integer) {
      return (Integer) status;
    }
    for (String name : NUMBER_METHODS) {
      if (call(status.getClass(), status, name) instanceof Integer value) {
        return value;
      }
    }
    return null;
  }

  private static Optional<ErrorKind> ofStatus(int status) {
    return switch (status) {
      case 429 -> Optional.of(ErrorKind.RATE_LIMIT_EXCEEDED);
      case 502, 503 -> Optional.of(ErrorKind.SERVICE_UNAVAILABLE);
      case 408, 504 -> Optional.of(ErrorKind.TIMEOUT);
      case 404, 410 -> Optional.of(ErrorKind.NOT_FOUND);
      case 401, 403 -> Optional.of(ErrorKind.UNAUTHORIZED);
      case 422 -> Optional.of(ErrorKind.VALIDATION_ERROR);
      case 400, 405, 406, 411, 413, 414, 415 -> Optional.of(ErrorKind.BAD_REQUEST);
      default -> Optional.empty();
    };
  }

  /** What a public method without parameters answers; nothing if there is none or it cannot. */
  private static @Nullable Object call(Class<?> type, Object target, String name) {
    try {
      Method method = type.getMethod(name);
      return method.canAccess(target) || method.trySetAccessible() ? method.invoke(target) : null;
    } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException none) {
      return null;
    }
  }
}
