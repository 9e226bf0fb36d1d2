package dev.kagzi.server.grpc;

import static dev.kagzi.server.Wire.complete;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import dev.kagzi.server.TestServer;
import dev.kagzi.server.config.ConfigKeys;
import dev.kagzi.server.config.DatabaseUrl;
import dev.kagzi.server.grpc.WorkerFixture.Transport;
import dev.kagzi.v1.AwaitWorkflowRequest;
import dev.kagzi.v1.AwaitWorkflowResponse;
import dev.kagzi.v1.GetWorkflowRequest;
import dev.kagzi.v1.WorkflowServiceGrpc;
import dev.kagzi.v1.WorkflowServiceGrpc.WorkflowServiceStub;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Whoever waits for a run costs the server neither a thread nor a connection. */
@Isolated
class ManyAwaitsTest {

  private static final int CONNECTIONS = 4;
  private static final int RUNS = 20;
  private static final int POOL = 6;

  /** Of the pool's six, the listener's and one that looks. */
  private static final int DATABASE_CONNECTIONS = POOL + 2;

  /** So that their first looks do not crowd each other out of the pool. */
  private static final int AT_A_TIME = 250;

  private static final int FEW_THREADS = 100;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  @TempDir Path folder;
  private TestServer server;
  private final List<ManagedChannel> channels = new ArrayList<>();
  private final AtomicInteger finished = new AtomicInteger();
  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

  @BeforeEach
  void start() {
    server = TestServer.start(settings -> settings.set(ConfigKeys.POLL_TIMEOUT, PATIENCE));
    for (int i = 0; i < CONNECTIONS; i++) {
      channels.add(
          NettyChannelBuilder.forAddress("127.0.0.1", server.server().grpcPort())
              .usePlaintext()
              .directExecutor()
              .build());
    }
  }

  @AfterEach
  void stop() {
    channels.forEach(ManagedChannel::shutdownNow);
    server.close();
  }

  @Test
  void aThousandWait() throws Exception {
    waitAllAtOnce(1000);
  }

  @Test
  @Tag("soak")
  void tenThousandWait() throws Exception {
    waitAllAtOnce(10_000);
  }

  private void waitAllAtOnce(int waiters) throws Exception {
    try (var worker = new WorkerFixture(server, Transport.UNARY)) {
      List<String> runs = Stream.generate(worker::start).limit(RUNS).toList();
      int threadsBefore = platformThreads();
      for (int i = 0; i < waiters; i++) {
        ask(stub(i), runs.get(i % RUNS));
        if ((i + 1) % AT_A_TIME == 0) {
          channels.forEach(channel -> get(channel, runs.get(0)));
          // Each has looked once at its run when no thread is busy with it any more.
          await().atMost(PATIENCE).until(() -> virtualThreads() < FEW_THREADS);
        }
      }

      assertThat(failures).isEmpty();
      assertThat(finished).hasValue(0);
      assertThat(platformThreads() - threadsBefore).isLessThan(FEW_THREADS);
      assertThat(databaseConnections()).isLessThanOrEqualTo(DATABASE_CONNECTIONS);

      for (int i = 0; i < RUNS; i++) {
        worker.client().complete(complete(worker.claim(), worker.workerId(), "\"done\""));
      }
      await().atMost(PATIENCE).until(() -> finished.get() == waiters || !failures.isEmpty());
      assertThat(failures).isEmpty();
    }
  }

  private WorkflowServiceStub stub(int i) {
    return WorkflowServiceGrpc.newStub(channels.get(i % CONNECTIONS));
  }

  /** A reply on the same connection shows that the calls before it have arrived. */
  private static void get(ManagedChannel channel, String runId) {
    var unused =
        WorkflowServiceGrpc.newBlockingStub(channel)
            .getWorkflow(GetWorkflowRequest.newBuilder().setRunId(runId).build());
  }

  private void ask(WorkflowServiceStub stub, String runId) {
    stub.awaitWorkflow(
        AwaitWorkflowRequest.newBuilder().setRunId(runId).build(),
        new StreamObserver<>() {
          @Override
          public void onNext(AwaitWorkflowResponse response) {
            if (response.getFinished() && response.getRun().getOutput().getJson().length() == 6) {
              finished.incrementAndGet();
            } else {
              failures.add(new AssertionError("not finished: " + response));
            }
          }

          @Override
          public void onError(Throwable failure) {
            // So many at once may be more than the database takes: they are told to come again.
            if (Status.fromThrowable(failure).getCode() == Status.Code.UNAVAILABLE) {
              CompletableFuture.delayedExecutor(500, TimeUnit.MILLISECONDS)
                  .execute(() -> ask(stub, runId));
            } else {
              failures.add(failure);
            }
          }

          @Override
          public void onCompleted() {}
        });
  }

  private static int platformThreads() {
    return ManagementFactory.getThreadMXBean().getThreadCount();
  }

  private int virtualThreads() throws IOException {
    Path dump = folder.resolve("threads-" + System.nanoTime());
    ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
        .dumpThreads(dump.toString(), ThreadDumpFormat.TEXT_PLAIN);
    try (Stream<String> lines = Files.lines(dump)) {
      return (int) lines.filter(line -> line.startsWith("#") && line.contains("virtual")).count();
    }
  }

  private int databaseConnections() throws SQLException {
    DatabaseUrl url = server.server().config().database().requiredUrl();
    try (Connection connection =
            DriverManager.getConnection(url.jdbcUrl(), url.user(), url.password());
        var rows =
            connection
                .createStatement()
                .executeQuery(
                    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                        + " AND backend_type = 'client backend'")) {
      rows.next();
      return rows.getInt(1);
    }
  }
}
