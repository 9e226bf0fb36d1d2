package dev.kagzi.server.grpc;

import dev.kagzi.core.ErrorKind;
import dev.kagzi.engine.domain.Failure;
import dev.kagzi.v1.ErrorDetail;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Errors between the wire and the engine. A worker that reports a failure must get rid of it, so
 * what is too long is cut and what the database cannot hold is replaced, rather than refused.
 */
final class FailureMapper {

  private static final int MAX_STACK_TRACE = 32 * 1024;
  static final int MAX_MESSAGE = 8 * 1024;
  private static final int MAX_HEADLINE = 1000;
  private static final int MAX_TYPE = 1024;
  private static final int MAX_SUPERTYPES = 32;
  private static final int MAX_CAUSES = 16;

  private FailureMapper() {}

  static Failure fromWire(ErrorDetail wire) {
    return fromWire(wire, MAX_CAUSES);
  }

  private static Failure fromWire(ErrorDetail wire, int moreCauses) {
    List<String> supertypes =
        wire.getTypeHierarchyList().stream()
            .limit(MAX_SUPERTYPES)
            .map(type -> clean(type, MAX_TYPE))
            .toList();
    return new Failure(
        kind(wire.getKind()),
        clean(wire.getType(), MAX_TYPE),
        supertypes,
        clean(wire.getMessage(), MAX_MESSAGE),
        clean(wire.getStackTrace(), MAX_STACK_TRACE),
        wire.hasCause() && moreCauses > 0 ? fromWire(wire.getCause(), moreCauses - 1) : null);
  }

  static ErrorDetail toWire(Failure failure) {
    var wire =
        ErrorDetail.newBuilder()
            .setKind(kind(failure.kind()))
            .setType(failure.type())
            .addAllTypeHierarchy(failure.typeHierarchy())
            .setMessage(failure.message())
            .setStackTrace(failure.stackTrace());
    @Nullable Failure cause = failure.cause();
    return cause == null ? wire.build() : wire.setCause(toWire(cause)).build();
  }

  /** What a list shows of an error: no stack trace, no causes, the beginning of the message. */
  static ErrorDetail headline(Failure failure) {
    return ErrorDetail.newBuilder()
        .setKind(kind(failure.kind()))
        .setType(failure.type())
        .setMessage(clean(failure.message(), MAX_HEADLINE))
        .build();
  }

  /** At most so many characters, without the one that the database cannot hold. */
  static String clean(String text, int limit) {
    String cut = text;
    if (text.length() > limit) {
      boolean splitsPair = Character.isHighSurrogate(text.charAt(limit - 1));
      cut = text.substring(0, splitsPair ? limit - 1 : limit);
    }
    return cut.replace('\0', ' ');
  }

  static ErrorKind kind(dev.kagzi.v1.ErrorKind wire) {
    return switch (wire) {
      case ERROR_KIND_NETWORK_ERROR -> ErrorKind.NETWORK_ERROR;
      case ERROR_KIND_TIMEOUT -> ErrorKind.TIMEOUT;
      case ERROR_KIND_DATABASE_ERROR -> ErrorKind.DATABASE_ERROR;
      case ERROR_KIND_RATE_LIMIT_EXCEEDED -> ErrorKind.RATE_LIMIT_EXCEEDED;
      case ERROR_KIND_SERVICE_UNAVAILABLE -> ErrorKind.SERVICE_UNAVAILABLE;
      case ERROR_KIND_NOT_FOUND -> ErrorKind.NOT_FOUND;
      case ERROR_KIND_UNAUTHORIZED -> ErrorKind.UNAUTHORIZED;
      case ERROR_KIND_BAD_REQUEST -> ErrorKind.BAD_REQUEST;
      case ERROR_KIND_VALIDATION_ERROR -> ErrorKind.VALIDATION_ERROR;
      case ERROR_KIND_CRASH_LOOP -> ErrorKind.CRASH_LOOP;
      case ERROR_KIND_CANCELLED -> ErrorKind.CANCELLED;
      case ERROR_KIND_INTERRUPTED -> ErrorKind.INTERRUPTED;
      case ERROR_KIND_CHILD_FAILED -> ErrorKind.CHILD_FAILED;
      case ERROR_KIND_LIMIT_EXCEEDED -> ErrorKind.LIMIT_EXCEEDED;
      case ERROR_KIND_UNSPECIFIED, ERROR_KIND_UNKNOWN, UNRECOGNIZED -> ErrorKind.UNKNOWN;
    };
  }

  static dev.kagzi.v1.ErrorKind kind(ErrorKind kind) {
    return switch (kind) {
      case UNKNOWN -> dev.kagzi.v1.ErrorKind.ERROR_KIND_UNKNOWN;
      case NETWORK_ERROR -> dev.kagzi.v1.ErrorKind.ERROR_KIND_NETWORK_ERROR;
      case TIMEOUT -> dev.kagzi.v1.ErrorKind.ERROR_KIND_TIMEOUT;
      case DATABASE_ERROR -> dev.kagzi.v1.ErrorKind.ERROR_KIND_DATABASE_ERROR;
      case RATE_LIMIT_EXCEEDED -> dev.kagzi.v1.ErrorKind.ERROR_KIND_RATE_LIMIT_EXCEEDED;
      case SERVICE_UNAVAILABLE -> dev.kagzi.v1.ErrorKind.ERROR_KIND_SERVICE_UNAVAILABLE;
      case NOT_FOUND -> dev.kagzi.v1.ErrorKind.ERROR_KIND_NOT_FOUND;
      case UNAUTHORIZED -> dev.kagzi.v1.ErrorKind.ERROR_KIND_UNAUTHORIZED;
      case BAD_REQUEST -> dev.kagzi.v1.ErrorKind.ERROR_KIND_BAD_REQUEST;
      case VALIDATION_ERROR -> dev.kagzi.v1.ErrorKind.ERROR_KIND_VALIDATION_ERROR;
      case CRASH_LOOP -> dev.kagzi.v1.ErrorKind.ERROR_KIND_CRASH_LOOP;
      case CANCELLED -> dev.kagzi.v1.ErrorKind.ERROR_KIND_CANCELLED;
      case INTERRUPTED -> dev.kagzi.v1.ErrorKind.ERROR_KIND_INTERRUPTED;
      case CHILD_FAILED -> dev.kagzi.v1.ErrorKind.ERROR_KIND_CHILD_FAILED;
      case LIMIT_EXCEEDED -> dev.kagzi.v1.ErrorKind.ERROR_KIND_LIMIT_EXCEEDED;
    };
  }
}
