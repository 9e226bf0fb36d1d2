package dev.kagzi.cli.api;

import com.google.protobuf.ByteString;
import dev.kagzi.cli.client.Server;
import dev.kagzi.cli.shell.CommandFailedException;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.reflection.v1.ServiceResponse;
import java.time.Duration;
import java.util.List;

/** Asks a server what it serves, so that a newer one can be called than this program knows. */
final class Reflection {
  private static final Duration LIMIT = Duration.ofSeconds(15);

  private final Server server;

  Reflection(Server server) {
    this.server = server;
  }

  /** The full names of all services. */
  List<String> services() {
    var request = ServerReflectionRequest.newBuilder().setListServices("*").build();
    return ask(request).getListServicesResponse().getServiceList().stream()
        .map(ServiceResponse::getName)
        .sorted()
        .toList();
  }

  /** The file that describes a symbol, and perhaps files that it needs, each as its bytes. */
  List<ByteString> filesOf(String symbol) {
    return files(ServerReflectionRequest.newBuilder().setFileContainingSymbol(symbol).build());
  }

  List<ByteString> file(String name) {
    return files(ServerReflectionRequest.newBuilder().setFileByFilename(name).build());
  }

  private List<ByteString> files(ServerReflectionRequest request) {
    return ask(request).getFileDescriptorResponse().getFileDescriptorProtoList();
  }

  private ServerReflectionResponse ask(ServerReflectionRequest request) {
    var response =
        server.call(
            ServerReflectionGrpc::newBlockingV2Stub, stub -> exchange(stub, request), LIMIT);
    if (response.hasErrorResponse()) {
      throw new CommandFailedException(
          "the server does not describe what it serves: "
              + response.getErrorResponse().getErrorMessage());
    }
    return response;
  }

  /** One question and one answer of what could be a conversation. */
  private static ServerReflectionResponse exchange(
      ServerReflectionGrpc.ServerReflectionBlockingV2Stub stub, ServerReflectionRequest request) {
    try {
      var call = stub.serverReflectionInfo();
      call.write(request);
      call.halfClose();
      var response = call.read();
      if (response == null) {
        throw Status.UNIMPLEMENTED
            .withDescription("the server ended the conversation without an answer")
            .asRuntimeException();
      }
      return response;
    } catch (StatusException e) {
      throw e.getStatus().asRuntimeException(e.getTrailers());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw Status.CANCELLED.withCause(e).asRuntimeException();
    }
  }
}
