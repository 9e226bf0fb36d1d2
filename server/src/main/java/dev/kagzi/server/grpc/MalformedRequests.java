package dev.kagzi.server.grpc;

import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.StatusRuntimeException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * Answers bytes that are no message of the request's type as any other faulty request. Left to
 * itself, gRPC says UNKNOWN and blames the server in its log.
 */
final class MalformedRequests {

  /** Takes the place of a request that could not be read. */
  private static final Object MALFORMED = new Object();

  private MalformedRequests() {}

  static ServerServiceDefinition refusedBy(ServerServiceDefinition service) {
    List<ServerMethodDefinition<?, ?>> methods = new ArrayList<>();
    service.getMethods().forEach(method -> methods.add(refusing(method)));
    var descriptor =
        ServiceDescriptor.newBuilder(service.getServiceDescriptor().getName())
            .setSchemaDescriptor(service.getServiceDescriptor().getSchemaDescriptor());
    methods.forEach(method -> descriptor.addMethod(method.getMethodDescriptor()));
    var refusing = ServerServiceDefinition.builder(descriptor.build());
    methods.forEach(refusing::addMethod);
    return refusing.build();
  }

  private static <Q, R> ServerMethodDefinition<Q, R> refusing(ServerMethodDefinition<Q, R> method) {
    MethodDescriptor<Q, R> strict = method.getMethodDescriptor();
    MethodDescriptor<Q, R> lenient =
        strict.toBuilder(
                new LenientMarshaller<>(strict.getRequestMarshaller()),
                strict.getResponseMarshaller())
            .build();
    return ServerMethodDefinition.create(
        lenient,
        (call, headers) ->
            new Gate<>(call, method.getServerCallHandler().startCall(call, headers)));
  }

  /** Reads without throwing, because nobody could catch it. */
  private record LenientMarshaller<Q>(MethodDescriptor.Marshaller<Q> strict)
      implements MethodDescriptor.Marshaller<Q> {
    @Override
    public InputStream stream(Q value) {
      return strict.stream(value);
    }

    @Override
    @SuppressWarnings("unchecked") // Only the gate ever looks at it.
    public Q parse(InputStream stream) {
      try {
        return strict.parse(stream);
      } catch (StatusRuntimeException unreadable) {
        return (Q) MALFORMED;
      }
    }
  }

  /** Lets everything through but what could not be read. */
  private static final class Gate<Q, R> extends SimpleForwardingServerCallListener<Q> {
    private final ServerCall<Q, R> call;
    private boolean shut;

    private Gate(ServerCall<Q, R> call, ServerCall.Listener<Q> handler) {
      super(handler);
      this.call = call;
    }

    @Override
    public void onMessage(Q message) {
      if (!MALFORMED.equals(message)) {
        super.onMessage(message);
        return;
      }
      shut = true;
      // Whoever waits behind the gate is told first, so that it writes nothing more.
      super.onCancel();
      String type = call.getMethodDescriptor().getBareMethodName() + "Request";
      StatusRuntimeException refusal =
          ErrorMapper.toException(
              new IllegalArgumentException("the bytes are not a valid " + type));
      Metadata trailers = refusal.getTrailers();
      call.close(refusal.getStatus(), trailers == null ? new Metadata() : trailers);
    }

    @Override
    public void onHalfClose() {
      if (!shut) {
        super.onHalfClose();
      }
    }

    @Override
    public void onCancel() {
      if (!shut) {
        super.onCancel();
      }
    }

    @Override
    public void onComplete() {
      if (!shut) {
        super.onComplete();
      }
    }

    @Override
    public void onReady() {
      if (!shut) {
        super.onReady();
      }
    }
  }
}
