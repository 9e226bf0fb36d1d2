package dev.kagzi.server.grpc;

import com.google.protobuf.Message;
import io.grpc.BindableService;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/** Calls to the services that do not leave the JVM, for another edge to make. Thread-safe. */
public final class LocalCalls {

  private final Server server;
  private final ManagedChannel channel;
  private final List<MethodDescriptor<Message, Message>> methods;

  private LocalCalls(Server server, ManagedChannel channel, List<ServerServiceDefinition> offered) {
    this.server = server;
    this.channel = channel;
    this.methods =
        offered.stream()
            .flatMap(service -> service.getMethods().stream())
            .<MethodDescriptor<Message, Message>>map(LocalCalls::descriptor)
            .toList();
  }

  static LocalCalls open(List<BindableService> endpoints, Executor executor) throws IOException {
    List<ServerServiceDefinition> offered =
        endpoints.stream().map(BindableService::bindService).toList();
    String name = InProcessServerBuilder.generateName();
    Server server =
        InProcessServerBuilder.forName(name)
            .executor(executor)
            .addServices(offered)
            .build()
            .start();
    ManagedChannel channel = InProcessChannelBuilder.forName(name).executor(executor).build();
    return new LocalCalls(server, channel, offered);
  }

  /** The messages of the contract are messages of protobuf, which the types do not say. */
  @SuppressWarnings("unchecked")
  private static MethodDescriptor<Message, Message> descriptor(
      ServerMethodDefinition<?, ?> method) {
    return (MethodDescriptor<Message, Message>) method.getMethodDescriptor();
  }

  public Channel channel() {
    return channel;
  }

  /** What can be called. */
  public List<MethodDescriptor<Message, Message>> methods() {
    return methods;
  }

  /** Takes no new calls; what is not over by the limit is cut off. */
  void shutDown(Duration limit) {
    server.shutdown();
    try {
      server.awaitTermination(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    channel.shutdownNow();
    server.shutdownNow();
  }
}
