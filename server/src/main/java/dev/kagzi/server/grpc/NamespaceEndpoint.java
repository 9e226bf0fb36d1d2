package dev.kagzi.server.grpc;

import dev.kagzi.engine.operation.NamespaceRegistry;
import dev.kagzi.v1.CreateNamespaceRequest;
import dev.kagzi.v1.CreateNamespaceResponse;
import dev.kagzi.v1.DisableNamespaceRequest;
import dev.kagzi.v1.DisableNamespaceResponse;
import dev.kagzi.v1.EnableNamespaceRequest;
import dev.kagzi.v1.EnableNamespaceResponse;
import dev.kagzi.v1.GetNamespaceRequest;
import dev.kagzi.v1.GetNamespaceResponse;
import dev.kagzi.v1.ListNamespacesRequest;
import dev.kagzi.v1.ListNamespacesResponse;
import dev.kagzi.v1.NamespaceServiceGrpc;
import dev.kagzi.v1.UpdateNamespaceRequest;
import dev.kagzi.v1.UpdateNamespaceResponse;
import io.grpc.stub.StreamObserver;

/** What operators ask about tenants. Thread-safe. */
final class NamespaceEndpoint extends NamespaceServiceGrpc.NamespaceServiceImplBase {

  private final NamespaceCalls calls;

  NamespaceEndpoint(NamespaceRegistry registry) {
    this.calls = new NamespaceCalls(registry);
  }

  @Override
  public void createNamespace(
      CreateNamespaceRequest request, StreamObserver<CreateNamespaceResponse> caller) {
    Unary.answer(caller, () -> calls.create(request));
  }

  @Override
  public void getNamespace(
      GetNamespaceRequest request, StreamObserver<GetNamespaceResponse> caller) {
    Unary.answer(caller, () -> calls.get(request));
  }

  @Override
  public void listNamespaces(
      ListNamespacesRequest request, StreamObserver<ListNamespacesResponse> caller) {
    Unary.answer(caller, () -> calls.list(request));
  }

  @Override
  public void updateNamespace(
      UpdateNamespaceRequest request, StreamObserver<UpdateNamespaceResponse> caller) {
    Unary.answer(caller, () -> calls.update(request));
  }

  @Override
  public void enableNamespace(
      EnableNamespaceRequest request, StreamObserver<EnableNamespaceResponse> caller) {
    Unary.answer(caller, () -> calls.enable(request));
  }

  @Override
  public void disableNamespace(
      DisableNamespaceRequest request, StreamObserver<DisableNamespaceResponse> caller) {
    Unary.answer(caller, () -> calls.disable(request));
  }
}
