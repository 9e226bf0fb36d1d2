package dev.kagzi.sdk.fake;

import com.google.protobuf.Any;
import com.google.rpc.ErrorInfo;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.util.Map;

/** Errors in the form in which servers give them. */
public final class Refusals {

  private Refusals() {}

  public static StatusRuntimeException refusal(Status.Code code, String reason) {
    return refusal(code, reason, Map.of());
  }

  public static StatusRuntimeException refusal(
      Status.Code code, String reason, Map<String, String> metadata) {
    return StatusProto.toStatusRuntimeException(
        com.google.rpc.Status.newBuilder()
            .setCode(code.value())
            .setMessage("refused with " + reason)
            .addDetails(
                Any.pack(
                    ErrorInfo.newBuilder()
                        .setDomain("kagzi.dev")
                        .setReason(reason)
                        .putAllMetadata(metadata)
                        .build()))
            .build());
  }

  static com.google.rpc.Status toProto(Throwable failure) {
    com.google.rpc.Status known = StatusProto.fromThrowable(failure);
    return known != null
        ? known
        : com.google.rpc.Status.newBuilder()
            .setCode(Status.Code.INTERNAL.value())
            .setMessage(String.valueOf(failure))
            .build();
  }
}
