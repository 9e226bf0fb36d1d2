package dev.kagzi.server.grpc;

import static dev.kagzi.server.Wire.aPoll;
import static dev.kagzi.server.Wire.aStart;
import static dev.kagzi.server.Wire.aWorker;
import static dev.kagzi.server.Wire.seconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.server.TestServer;
import dev.kagzi.v1.AwaitWorkflowRequest;
import dev.kagzi.v1.AwaitWorkflowResponse;
import dev.kagzi.v1.PollTaskResponse;
import dev.kagzi.v1.WorkCall;
import dev.kagzi.v1.WorkerServiceGrpc;
import dev.kagzi.v1.WorkflowServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated
class ShutdownTest {

  @Test
  void whoeverWaitsIsAnsweredAndStreamsEndInGoodOrder() throws Exception {
    try (var server = TestServer.start()) {
      String worker = server.workers().register(aWorker().build()).getWorkerId();
      String runId =
          server.workflows().startWorkflow(aStart().setTaskQueue("nobody").build()).getRunId();
      Future<PollTaskResponse> poll =
          WorkerServiceGrpc.newFutureStub(server.channel())
              .pollTask(aPoll(worker).setWait(seconds(30)).build());
      Future<AwaitWorkflowResponse> result =
          WorkflowServiceGrpc.newFutureStub(server.channel())
              .awaitWorkflow(AwaitWorkflowRequest.newBuilder().setRunId(runId).build());
      var stream = WorkStreamClient.open(server.channel(), worker);
      var waiting =
          stream.sendAll(
              List.of(WorkCall.newBuilder().setPollTask(aPoll(worker).setWait(seconds(30)))));
      var asks = AskStreamClient.open(server.channel());
      var awaited =
          asks.sendAll(
              List.of(
                  AskStreamClient.awaitCall(
                      AwaitWorkflowRequest.newBuilder().setRunId(runId).build())));
      // Answers on the same connection show that what was sent before has arrived.
      stream.call(WorkCall.newBuilder().setPollTask(aPoll(worker).setWait(seconds(0))));
      server.workers().pollTask(aPoll(worker).setWait(seconds(0)).build());
      long begun = System.nanoTime();

      server.server().close();
      server.server().close();

      assertThat(poll.get(1, TimeUnit.SECONDS).getTasksList()).isEmpty();
      assertThat(result.get(1, TimeUnit.SECONDS).getFinished()).isFalse();
      assertThat(stream.replyOf(waiting.get(0)).getPollTask().getTasksList()).isEmpty();
      assertThat(stream.end()).isEqualTo(Status.OK);
      assertThat(asks.answerOf(awaited.get(0)).getAwaitWorkflow().getFinished()).isFalse();
      assertThat(asks.end()).isEqualTo(Status.OK);
      // Nobody had to be cut off when the time for finishing was over.
      assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(4));
    }
  }

  @Test
  void aServerThatIsLeavingShowsItWhileItStillAnswers() throws Exception {
    try (var server = TestServer.start()) {
      // The look at its health is also the call that it waits for.
      ManagedChannel watching = server.newChannel();
      Iterator<HealthCheckResponse> health =
          HealthGrpc.newBlockingStub(watching).watch(HealthCheckRequest.getDefaultInstance());
      assertThat(health.next().getStatus()).isEqualTo(ServingStatus.SERVING);
      assertThat(readiness(server).statusCode()).isEqualTo(200);

      Thread closing = Thread.ofVirtual().start(server.server()::close);

      assertThat(health.next().getStatus()).isEqualTo(ServingStatus.NOT_SERVING);
      assertThat(readiness(server))
          .satisfies(answer -> assertThat(answer.statusCode()).isEqualTo(503))
          .satisfies(answer -> assertThat(answer.body()).contains("the server is shutting down"));
      watching.shutdownNow();
      assertThat(closing.join(Duration.ofSeconds(4))).isTrue();
    }
  }

  private static HttpResponse<String> readiness(TestServer server) throws Exception {
    var uri = URI.create("http://127.0.0.1:%d/readyz".formatted(server.server().httpPort()));
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
    }
  }
}
