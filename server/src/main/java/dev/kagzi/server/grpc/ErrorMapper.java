package dev.kagzi.server.grpc;

import com.google.protobuf.Any;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import dev.kagzi.engine.commit.DatabaseFailures;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.jdbc.DatabaseException;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one place that knows which gRPC code an error is. What the caller can act on is told with a
 * stable reason; anything else is logged under an incident number, which is all the caller learns.
 * What is told has a limit, whatever of the request it quotes: see {@link TrailerSpace}.
 */
final class ErrorMapper {

  static final String DOMAIN = "kagzi.dev";

  private static final Logger log = LoggerFactory.getLogger(ErrorMapper.class);
  private static final Duration PAUSE_WHEN_OVERLOADED = Duration.ofMillis(500);
  private static final Duration PAUSE_WITHOUT_DATABASE = Duration.ofSeconds(1);
  private static final Duration PAUSE_OF_A_SLOW_DATABASE = Duration.ofSeconds(5);

  private ErrorMapper() {}

  /** The error as a unary call ends with it. */
  static StatusRuntimeException toException(Throwable failure) {
    return StatusProto.toStatusRuntimeException(toStatus(failure));
  }

  /** The error as a reply on a stream carries it. */
  static com.google.rpc.Status toStatus(Throwable failure) {
    return switch (failure) {
      case EngineException refusal -> refusal(refusal);
      case DatabaseException database -> database(database);
      case InvalidRequestException invalid -> invalid(invalid);
      case ReplyTooLargeException large ->
          status(Code.FAILED_PRECONDITION, large)
              .addDetails(reason("REPLY_TOO_LARGE", Map.of()))
              .build();
      case IllegalArgumentException wrongValue ->
          status(Code.INVALID_ARGUMENT, wrongValue)
              .addDetails(reason(ErrorCode.INVALID_ARGUMENT.name(), Map.of()))
              .build();
      default -> incident(failure);
    };
  }

  private static com.google.rpc.Status refusal(EngineException refusal) {
    var status =
        status(codeOf(refusal.code()), refusal)
            .addDetails(reason(refusal.code().name(), refusal.details()));
    pauseAfter(refusal.code()).ifPresent(pause -> status.addDetails(retryAfter(pause)));
    return status.build();
  }

  private static Optional<Duration> pauseAfter(ErrorCode code) {
    return switch (code) {
      case OVERLOADED -> Optional.of(PAUSE_WHEN_OVERLOADED);
      case DATABASE_UNAVAILABLE -> Optional.of(PAUSE_WITHOUT_DATABASE);
      case DATABASE_TOO_SLOW -> Optional.of(PAUSE_OF_A_SLOW_DATABASE);
      default -> Optional.empty();
    };
  }

  private static Code codeOf(ErrorCode code) {
    return switch (code) {
      case INVALID_ARGUMENT, UNKNOWN_TYPE, REQUEST_ID_OUT_OF_RANGE, BAD_CRON ->
          Code.INVALID_ARGUMENT;
      case RUN_NOT_FOUND,
          STEP_NOT_FOUND,
          WORKER_NOT_FOUND,
          NAMESPACE_NOT_FOUND,
          WORKFLOW_TYPE_NOT_FOUND,
          BATCH_NOT_FOUND,
          SCHEDULE_NOT_FOUND ->
          Code.NOT_FOUND;
      case SCHEDULE_EXISTS -> Code.ALREADY_EXISTS;
      case NAMESPACE_DISABLED,
          RUN_CANCELLED,
          RUN_TERMINAL,
          NOT_TERMINAL,
          ALREADY_ACTIVE,
          COMPENSATED,
          SAGA_OPEN,
          RETRIED_BEFORE,
          TOO_MANY_STATES,
          TOO_MANY_STEPS ->
          Code.FAILED_PRECONDITION;
      case NAMESPACE_EXISTS -> Code.ALREADY_EXISTS;
      case LEASE_LOST, DEFAULT_VERSION_CHANGED -> Code.ABORTED;
      case OVERLOADED, DATABASE_FULL, DATABASE_TOO_SLOW, TOO_MANY_EVENTS -> Code.RESOURCE_EXHAUSTED;
      case DATABASE_UNAVAILABLE, SHUTTING_DOWN -> Code.UNAVAILABLE;
    };
  }

  private static com.google.rpc.Status database(DatabaseException failure) {
    RuntimeException refusal = DatabaseFailures.toRefusal(failure);
    return refusal instanceof EngineException known ? refusal(known) : incident(failure);
  }

  private static com.google.rpc.Status invalid(InvalidRequestException invalid) {
    BadRequest faults = BadRequest.newBuilder().addAllFieldViolations(invalid.violations()).build();
    return status(Code.INVALID_ARGUMENT, invalid)
        .addDetails(reason(invalid.reason().name(), Map.of()))
        .addDetails(Any.pack(faults))
        .build();
  }

  private static com.google.rpc.Status incident(Throwable failure) {
    String incident = UUID.randomUUID().toString();
    log.error("incident {}: a call failed unexpectedly", incident, failure);
    return status(Code.INTERNAL, "the server failed; its log explains incident " + incident)
        .addDetails(reason("INTERNAL", Map.of("incident", incident)))
        .build();
  }

  private static com.google.rpc.Status.Builder status(Code code, RuntimeException refusal) {
    return status(code, String.valueOf(refusal.getMessage()));
  }

  private static com.google.rpc.Status.Builder status(Code code, String message) {
    return com.google.rpc.Status.newBuilder()
        .setCode(code.value())
        .setMessage(TrailerSpace.abridged(message, TrailerSpace.OF_MESSAGE));
  }

  private static Any reason(String reason, Map<String, String> facts) {
    var info = ErrorInfo.newBuilder().setDomain(DOMAIN).setReason(reason);
    facts.forEach(
        (name, fact) -> info.putMetadata(name, TrailerSpace.abridged(fact, TrailerSpace.OF_TEXT)));
    return Any.pack(info.build());
  }

  private static Any retryAfter(Duration pause) {
    return Any.pack(RetryInfo.newBuilder().setRetryDelay(TimeMapper.toWire(pause)).build());
  }
}
