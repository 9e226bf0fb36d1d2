package dev.kagzi.cli.api;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.DynamicMessage;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.AbstractBlockingStub;
import io.grpc.stub.ClientCalls;

/** Calls methods that are known by their description only. */
final class RawStub extends AbstractBlockingStub<RawStub> {

  private RawStub(Channel channel, CallOptions options) {
    super(channel, options);
  }

  static RawStub on(Channel channel) {
    return new RawStub(channel, CallOptions.DEFAULT);
  }

  @Override
  protected RawStub build(Channel channel, CallOptions options) {
    return new RawStub(channel, options);
  }

  DynamicMessage call(MethodDescriptor method, DynamicMessage request) {
    return ClientCalls.blockingUnaryCall(getChannel(), wire(method), getCallOptions(), request);
  }

  private static io.grpc.MethodDescriptor<DynamicMessage, DynamicMessage> wire(
      MethodDescriptor method) {
    var name =
        io.grpc.MethodDescriptor.generateFullMethodName(
            method.getService().getFullName(), method.getName());
    return io.grpc.MethodDescriptor.<DynamicMessage, DynamicMessage>newBuilder()
        .setType(MethodType.UNARY)
        .setFullMethodName(name)
        .setRequestMarshaller(
            ProtoUtils.marshaller(DynamicMessage.getDefaultInstance(method.getInputType())))
        .setResponseMarshaller(
            ProtoUtils.marshaller(DynamicMessage.getDefaultInstance(method.getOutputType())))
        .build();
  }
}
