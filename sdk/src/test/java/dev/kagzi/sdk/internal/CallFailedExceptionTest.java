package dev.kagzi.sdk.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import com.google.rpc.ErrorInfo;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import org.junit.jupiter.api.Test;

class CallFailedExceptionTest {

  @Test
  void aConnectionThatIsClosedOverManyBrokenCallsIsNoRefusal() {
    var closed =
        Status.RESOURCE_EXHAUSTED.withDescription(
            "Connection closed after GOAWAY. HTTP/2 error code: ENHANCE_YOUR_CALM");

    assertThat(CallFailedException.of(closed.asRuntimeException()).isUnanswered()).isTrue();
  }

  @Test
  void aConnectionThatBreaksWhileACallIsSentIsNoFaultOfTheServer() {
    var broken = Status.UNKNOWN.withDescription("channel closed").asRuntimeException();
    var fault = Status.UNKNOWN.withDescription("Application error processing RPC");

    assertThat(CallFailedException.of(broken).isUnanswered()).isTrue();
    assertThat(CallFailedException.of(fault.asRuntimeException()).isServerFault()).isTrue();
  }

  @Test
  void anOverloadedServerHasAnswered() {
    var overloaded =
        com.google.rpc.Status.newBuilder()
            .setCode(Status.Code.RESOURCE_EXHAUSTED.value())
            .setMessage("10000 writes are waiting")
            .addDetails(Any.pack(ErrorInfo.newBuilder().setReason("OVERLOADED").build()))
            .build();

    var failure = CallFailedException.of(StatusProto.toStatusRuntimeException(overloaded));

    assertThat(failure.isUnanswered()).isFalse();
    assertThat(failure.isPassing()).isTrue();
  }

  @Test
  void aMessageThatIsTooLargeIsNotSentAgain() {
    var large = Status.RESOURCE_EXHAUSTED.withDescription("gRPC message exceeds maximum size");

    assertThat(CallFailedException.of(large.asRuntimeException()).isUnanswered()).isFalse();
  }
}
