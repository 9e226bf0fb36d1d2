package dev.kagzi.cli.client;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import dev.kagzi.cli.shell.CommandFailedException;
import dev.kagzi.cli.shell.ExitCode;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.util.Optional;
import java.util.stream.Collectors;

/** What a failed call is to the person at the keyboard: words and an exit code. Stateless. */
public final class CallFailures {
  /** What the network library puts in front of the system's own words. */
  private static final String SYSTEM_CALL = "^\\w+\\(\\.\\.\\) failed with error\\(-?\\d+\\): ";

  private CallFailures() {}

  /** Whether no server has seen the call. */
  static boolean isUnreachable(StatusRuntimeException failure) {
    return failure.getStatus().getCode() == Status.Code.UNAVAILABLE && reason(failure).isEmpty();
  }

  /** Servers of ours always say why they failed; what has no words for it is something else. */
  private static boolean isNotOurs(StatusRuntimeException failure) {
    return switch (failure.getStatus().getCode()) {
      case INTERNAL, UNKNOWN -> reason(failure).isEmpty();
      default -> false;
    };
  }

  static CommandFailedException explain(StatusRuntimeException failure, Setting address) {
    var code = failure.getStatus().getCode();
    if (isUnreachable(failure)) {
      return failed(
          ExitCode.ERROR,
          """
          no Kagzi server answers at %s, which comes from %s (%s)
          try: kagzi dev starts one on this machine; --address or KAGZI_ADDRESS names another\
          """
              .formatted(address.value(), address.origin(), cause(failure)),
          failure);
    }
    if (isNotOurs(failure)) {
      return failed(
          ExitCode.ERROR,
          """
          what answers at %s, which comes from %s, is no Kagzi server (%s)
          try: the gRPC port of the server, which is 50051 unless grpc.port says otherwise\
          """
              .formatted(address.value(), address.origin(), words(failure)),
          failure);
    }
    var place = " (server %s from %s)".formatted(address.value(), address.origin());
    return switch (code) {
      case NOT_FOUND -> failed(ExitCode.NOT_FOUND, words(failure), failure);
      case INVALID_ARGUMENT -> failed(ExitCode.USAGE, words(failure), failure);
      case UNAUTHENTICATED, PERMISSION_DENIED ->
          failed(ExitCode.AUTH, "not allowed: " + words(failure) + place, failure);
      case DEADLINE_EXCEEDED ->
          failed(
              ExitCode.ERROR,
              "the server did not answer in time%s; kagzi doctor looks at it".formatted(place),
              failure);
      case UNIMPLEMENTED ->
          failed(
              ExitCode.ERROR,
              "the server is older than this command and does not know the call" + place,
              failure);
      default -> failed(ExitCode.ERROR, words(failure), failure);
    };
  }

  private static CommandFailedException failed(
      ExitCode code, String message, StatusRuntimeException cause) {
    return new CommandFailedException(code, message, cause);
  }

  /** The reason nearest to the network, such as a refused connection. */
  private static String cause(StatusRuntimeException failure) {
    Throwable deepest = failure;
    while (deepest.getCause() != null) {
      deepest = deepest.getCause();
    }
    var description = failure.getStatus().getDescription();
    return deepest.equals(failure)
        ? String.valueOf(description)
        : String.valueOf(deepest.getMessage()).replaceFirst(SYSTEM_CALL, "");
  }

  /** The server's own sentence, and each fault of the request if it named several. */
  private static String words(StatusRuntimeException failure) {
    var faults =
        detail(failure, BadRequest.class)
            .map(BadRequest::getFieldViolationsList)
            .filter(violations -> violations.size() > 1);
    return faults
        .map(violations ->
            violations.stream()
                .map(fault -> fault.getField() + ": " + fault.getDescription())
                .collect(Collectors.joining("\n")))
        .orElse(String.valueOf(failure.getStatus().getDescription()));
  }

  /** The server's stable word for why, or empty. */
  static String reason(StatusRuntimeException failure) {
    return detail(failure, ErrorInfo.class).map(ErrorInfo::getReason).orElse("");
  }

  /** The server's stable word for why a call of {@link Server} failed, or empty. */
  public static String reason(CommandFailedException failure) {
    return failure.getCause() instanceof StatusRuntimeException status ? reason(status) : "";
  }

  static boolean isAboutTheNamespace(CommandFailedException failure) {
    return reason(failure).equals("NAMESPACE_NOT_FOUND");
  }

  private static <D extends com.google.protobuf.Message> Optional<D> detail(
      StatusRuntimeException failure, Class<D> type) {
    var status = StatusProto.fromThrowable(failure);
    if (status == null) {
      return Optional.empty();
    }
    return status.getDetailsList().stream()
        .filter(detail -> detail.is(type))
        .findFirst()
        .flatMap(detail -> unpack(detail, type));
  }

  private static <D extends com.google.protobuf.Message> Optional<D> unpack(
      Any detail, Class<D> type) {
    try {
      return Optional.of(detail.unpack(type));
    } catch (InvalidProtocolBufferException garbled) {
      return Optional.empty();
    }
  }
}
