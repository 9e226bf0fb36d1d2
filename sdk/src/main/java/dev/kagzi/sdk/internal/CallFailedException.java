package dev.kagzi.sdk.internal;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A call to the server that did not succeed: the code and the details the server gave. */
final class CallFailedException extends RuntimeException {

  private static final long serialVersionUID = 1;

  /** How HTTP/2 words that a connection is closed because of what was done with it. */
  private static final String CONNECTION_CLOSED = "ENHANCE_YOUR_CALM";

  /** How the transport words that a connection broke while a call was under way on it. */
  private static final String CHANNEL_CLOSED = "channel closed";

  private final Status.Code code;
  private final String reason;
  private final transient Map<String, String> metadata;
  private final @Nullable Duration retryDelay;

  private CallFailedException(com.google.rpc.Status status, @Nullable Throwable cause) {
    super(words(status), cause);
    this.code = Status.fromCodeValue(status.getCode()).getCode();
    ErrorInfo error = detail(status, ErrorInfo.class).orElse(ErrorInfo.getDefaultInstance());
    this.reason = error.getReason();
    this.metadata = error.getMetadataMap();
    this.retryDelay =
        detail(status, RetryInfo.class)
            .map(retry -> WireTimes.toDuration(retry.getRetryDelay()))
            .orElse(null);
  }

  /** What an error reply on a stream says. */
  static CallFailedException of(com.google.rpc.Status status) {
    return new CallFailedException(status, null);
  }

  /**
   * What a failed unary call or a broken stream says. A server breaks off a call whose time is
   * over, which may be heard here as a cancellation before our own clock says the same, and closes
   * a connection on which too many calls were given up, and a connection may break; nobody has
   * judged the request then.
   */
  static CallFailedException of(Throwable failure) {
    com.google.rpc.Status status = StatusProto.fromThrowable(failure);
    if (status != null && isBrokenOff(status)) {
      return of(Status.Code.UNAVAILABLE, status.getMessage(), failure);
    }
    if (status == null) {
      Status local = Status.fromThrowable(failure);
      return of(local.getCode(), local + "", failure);
    }
    return new CallFailedException(status, failure);
  }

  /** What a server refuses itself, it refuses with details. */
  private static boolean isBrokenOff(com.google.rpc.Status status) {
    return status.getDetailsCount() == 0
        && switch (Status.fromCodeValue(status.getCode()).getCode()) {
          case CANCELLED -> true;
          case RESOURCE_EXHAUSTED -> status.getMessage().contains(CONNECTION_CLOSED);
          case UNKNOWN -> status.getMessage().contains(CHANNEL_CLOSED);
          default -> false;
        };
  }

  /** A failure that never reached the server. */
  static CallFailedException of(Status.Code code, String message, @Nullable Throwable cause) {
    var status =
        com.google.rpc.Status.newBuilder().setCode(code.value()).setMessage(message).build();
    return new CallFailedException(status, cause);
  }

  Status.Code code() {
    return code;
  }

  /** The server's stable word for why, or empty. */
  String reason() {
    return reason;
  }

  boolean hasReason(String expected) {
    return reason.equals(expected);
  }

  Optional<String> metadata(String key) {
    return Optional.ofNullable(metadata.get(key));
  }

  /** How long the server asked to wait before the next try. */
  Optional<Duration> retryDelay() {
    return Optional.ofNullable(retryDelay);
  }

  /** Nobody judged the request: the same call may succeed later, and is safe to repeat. */
  boolean isPassing() {
    return isUnanswered() || code == Status.Code.RESOURCE_EXHAUSTED;
  }

  /** No server has said anything. */
  boolean isUnanswered() {
    return code == Status.Code.UNAVAILABLE || code == Status.Code.DEADLINE_EXCEEDED;
  }

  /** The server itself failed. */
  boolean isServerFault() {
    return switch (code) {
      case INTERNAL, UNKNOWN, DATA_LOSS -> true;
      default -> false;
    };
  }

  private static String words(com.google.rpc.Status status) {
    var words = new StringBuilder(status.getMessage());
    detail(status, BadRequest.class)
        .ifPresent(faults ->
            faults
                .getFieldViolationsList()
                .forEach(fault -> {
                  if (words.indexOf(fault.getDescription()) < 0) {
                    words.append("; ").append(fault.getField()).append(' ');
                    words.append(fault.getDescription());
                  }
                }));
    return words.toString();
  }

  private static <M extends Message> Optional<M> detail(
      com.google.rpc.Status status, Class<M> type) {
    try {
      for (Any any : status.getDetailsList()) {
        if (any.is(type)) {
          return Optional.of(any.unpack(type));
        }
      }
    } catch (InvalidProtocolBufferException malformed) {
      return Optional.empty();
    }
    return Optional.empty();
  }

  /** Whether a call was broken off because its thread was interrupted. */
  static boolean isInterruption(StatusRuntimeException failure) {
    return failure.getStatus().getCode() == Status.Code.CANCELLED
        && failure.getCause() instanceof InterruptedException;
  }
}
