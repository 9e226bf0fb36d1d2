package dev.kagzi.sdk.internal;

import static dev.kagzi.sdk.fake.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.v1.GetWorkflowRequest;
import dev.kagzi.v1.GetWorkflowResponse;
import dev.kagzi.v1.WorkflowServiceGrpc;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ServerConnectionTest {

  /** By itself a channel would try five times at most while a call lasts. */
  private static final int OFTEN = 8;

  private static final int MANY = 64;

  @Test
  void beginsWithAnyServerSoThatManySpreadOverThem() {
    var first = new HashSet<String>();
    for (int number = 0; number < MANY; number++) {
      try (var connection =
          ServerConnection.open(ServerAddress.parse("127.0.0.1:1,127.0.0.1:2", "the test"))) {
        first.add(connection.channel().authority());
      }
    }

    assertThat(first).containsExactlyInAnyOrder("127.0.0.1:1", "127.0.0.1:2");
  }

  @Test
  void triesToConnectOftenWhileACallLasts() throws IOException {
    var attempts = new AtomicInteger();
    try (var port = new ServerSocket(0, OFTEN, InetAddress.getLoopbackAddress());
        var connection =
            ServerConnection.open(
                ServerAddress.parse("127.0.0.1:" + port.getLocalPort(), "the test"))) {
      Thread.startVirtualThread(() -> refuseAll(port, attempts));
      var call = Thread.startVirtualThread(() -> get(connection));

      until(() -> attempts.get() >= OFTEN || !call.isAlive());

      assertThat(attempts).hasValueGreaterThanOrEqualTo(OFTEN);
    }
  }

  /** As a server does whose clock says first that the time of the call is over. */
  @Test
  void repeatsACallThatTheServerHasBrokenOff() throws Exception {
    var calls = new AtomicInteger();
    var server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(
                new WorkflowServiceGrpc.WorkflowServiceImplBase() {
                  @Override
                  public void getWorkflow(
                      GetWorkflowRequest request, StreamObserver<GetWorkflowResponse> reply) {
                    if (calls.incrementAndGet() == 1) {
                      reply.onError(Status.CANCELLED.asRuntimeException());
                    } else {
                      reply.onNext(GetWorkflowResponse.getDefaultInstance());
                      reply.onCompleted();
                    }
                  }
                })
            .build()
            .start();
    try (var connection =
        ServerConnection.open(ServerAddress.parse("127.0.0.1:" + server.getPort(), "the test"))) {
      GetWorkflowResponse reply =
          connection.call(
              WorkflowServiceGrpc::newBlockingStub,
              stub -> stub.getWorkflow(GetWorkflowRequest.getDefaultInstance()),
              ServerConnection.CALL_LIMIT);

      assertThat(reply).isEqualTo(GetWorkflowResponse.getDefaultInstance());
      assertThat(calls).hasValue(2);
    } finally {
      server.shutdownNow();
    }
  }

  private static void refuseAll(ServerSocket port, AtomicInteger attempts) {
    try {
      while (true) {
        port.accept().close();
        attempts.incrementAndGet();
      }
    } catch (IOException closed) {
      // The test is over.
    }
  }

  private static void get(ServerConnection connection) {
    try {
      connection.call(
          WorkflowServiceGrpc::newBlockingStub,
          stub -> stub.getWorkflow(GetWorkflowRequest.getDefaultInstance()),
          ServerConnection.CALL_LIMIT);
    } catch (CallFailedException | InterruptedException nobodyThere) {
      // There never is.
    }
  }
}
