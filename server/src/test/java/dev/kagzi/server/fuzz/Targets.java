package dev.kagzi.server.fuzz;

import com.google.protobuf.Message;
import dev.kagzi.server.TestServer;
import dev.kagzi.server.grpc.GoodRequests;
import dev.kagzi.v1.AdminServiceGrpc;
import dev.kagzi.v1.EnableNamespaceRequest;
import dev.kagzi.v1.NamespaceServiceGrpc;
import dev.kagzi.v1.WorkerServiceGrpc;
import dev.kagzi.v1.WorkflowScheduleServiceGrpc;
import dev.kagzi.v1.WorkflowServiceGrpc;
import io.grpc.MethodDescriptor;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** What can be called, and for each method a good request to begin with. Thread-safe. */
final class Targets {

  /** A request is used so often before another takes its place: most of them use their run up. */
  private static final int USES = 40;

  private record Pooled(Message request, AtomicInteger uses) {}

  private final TestServer server;
  private final GoodRequests good;
  private final Map<String, Pooled> pool = new ConcurrentHashMap<>();
  private final List<MethodDescriptor<?, ?>> methods;

  Targets(TestServer server) {
    this.server = server;
    this.good = new GoodRequests(server);
    this.methods =
        Stream.of(
                WorkflowServiceGrpc.getServiceDescriptor(),
                WorkerServiceGrpc.getServiceDescriptor(),
                WorkflowScheduleServiceGrpc.getServiceDescriptor(),
                AdminServiceGrpc.getServiceDescriptor(),
                NamespaceServiceGrpc.getServiceDescriptor())
            .flatMap(service -> service.getMethods().stream())
            .filter(method -> method.getType() == MethodDescriptor.MethodType.UNARY)
            .toList();
  }

  List<MethodDescriptor<?, ?>> methods() {
    return methods;
  }

  List<String> names() {
    return methods.stream().map(Targets::nameOf).toList();
  }

  static String nameOf(MethodDescriptor<?, ?> method) {
    return String.valueOf(method.getBareMethodName());
  }

  Message request(String method) {
    Pooled known = pool.get(method);
    if (known == null || known.uses().incrementAndGet() > USES) {
      known = new Pooled(good.request(method), new AtomicInteger());
      pool.put(method, known);
    }
    return known.request();
  }

  /** Undoes what would make every further request fail for one and the same reason. */
  void afterwards(String method) {
    if (method.equals("DisableNamespace")) {
      var unused =
          server
              .namespaces()
              .enableNamespace(EnableNamespaceRequest.newBuilder().setNamespace("default").build());
    }
  }
}
