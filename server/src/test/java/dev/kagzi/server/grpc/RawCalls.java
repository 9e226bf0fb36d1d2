package dev.kagzi.server.grpc;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.BadRequest;
import com.google.rpc.BadRequest.FieldViolation;
import com.google.rpc.ErrorInfo;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.ClientCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Calls with any bytes, and what the server says to them. */
public record RawCalls(Channel channel) {

  private static final long LIMIT_SECONDS = 20;

  /** How a call ended. */
  public record Answer(
      Status.Code code, String message, Optional<ErrorInfo> info, List<String> fields) {

    static final Answer OK = new Answer(Status.Code.OK, "", Optional.empty(), List.of());

    static Answer of(com.google.rpc.Status status) {
      return new Answer(
          Status.fromCodeValue(status.getCode()).getCode(),
          status.getMessage(),
          status.getDetailsList().stream()
              .filter(detail -> detail.is(ErrorInfo.class))
              .map(detail -> unpack(detail, ErrorInfo.class))
              .findFirst(),
          status.getDetailsList().stream()
              .filter(detail -> detail.is(BadRequest.class))
              .map(detail -> unpack(detail, BadRequest.class))
              .flatMap(faults -> faults.getFieldViolationsList().stream())
              .map(FieldViolation::getField)
              .toList());
    }

    private static <M extends com.google.protobuf.Message> M unpack(Any detail, Class<M> type) {
      try {
        return detail.unpack(type);
      } catch (InvalidProtocolBufferException malformed) {
        throw new AssertionError(malformed);
      }
    }

    /** It went well, or its caller learns from it what to do. */
    public boolean isProper() {
      return switch (code) {
        case OK -> true;
        case INTERNAL, UNKNOWN, CANCELLED, DEADLINE_EXCEEDED, DATA_LOSS -> false;
        default ->
            info.map(reason -> !reason.getReason().isEmpty() && !reason.getDomain().isEmpty())
                .orElse(false);
      };
    }
  }

  public Answer call(MethodDescriptor<?, ?> method, byte[] request) {
    try {
      var unused = reply(method, request);
      return Answer.OK;
    } catch (StatusRuntimeException refusal) {
      var status = StatusProto.fromThrowable(refusal);
      return status != null
          ? Answer.of(status)
          : new Answer(
              refusal.getStatus().getCode(),
              String.valueOf(refusal.getStatus().getDescription()),
              Optional.empty(),
              List.of());
    }
  }

  /** What the server answers, as bytes; throws its refusal. */
  public byte[] reply(MethodDescriptor<?, ?> method, byte[] request) {
    return ClientCalls.blockingUnaryCall(
        channel,
        raw(method),
        CallOptions.DEFAULT.withDeadlineAfter(LIMIT_SECONDS, TimeUnit.SECONDS),
        request);
  }

  public static MethodDescriptor<byte[], byte[]> raw(MethodDescriptor<?, ?> method) {
    return method.toBuilder(new Bytes(), new Bytes()).build();
  }

  /** Passes bytes through as they are. */
  private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] value) {
      return new ByteArrayInputStream(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (IOException broken) {
        throw new UncheckedIOException(broken);
      }
    }
  }
}
