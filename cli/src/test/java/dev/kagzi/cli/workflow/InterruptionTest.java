package dev.kagzi.cli.workflow;

import static dev.kagzi.cli.ServerAtWork.unique;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.cli.ServerAtWork;
import dev.kagzi.cli.Unfinished;
import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.cli.shell.Terminal;
import dev.kagzi.v1.StartBatchRequest;
import dev.kagzi.v1.StartBatchResponse;
import dev.kagzi.v1.StartWorkflowRequest;
import dev.kagzi.v1.StartWorkflowResponse;
import dev.kagzi.v1.WorkflowServiceGrpc.WorkflowServiceImplBase;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a command says that a signal ends while it has something under way on the server. */
class InterruptionTest {
  private static final ServerAtWork SERVER = ServerAtWork.shared();
  private static final Terminal PERSON = new Terminal(true, true, true);
  private static final int PATIENCE_SECONDS = 60;

  private final String id = unique("interrupted");

  private static Unfinished start(Map<String, String> environment, String... arguments) {
    return Unfinished.start(
        Path.of("").toAbsolutePath(),
        environment,
        InputStream.nullInputStream(),
        PERSON,
        arguments);
  }

  @Test
  void aRunThatIsFollowedGoesOn() {
    try (var followed = start(SERVER.environment(), "run", "nap", "\"x\"", "--id", id)) {
      followed.await("sleeps");

      assertThat(followed.end()).isEqualTo(ExitCode.INTERRUPTED.number());
      assertThat(followed.out()).contains("the run goes on: kagzi wf result " + idOf(id));
    }
    assertThat(SERVER.done("wf", "show", id)).contains("SLEEPING");
    SERVER.done("wf", "cancel", id);
  }

  private static String idOf(String run) {
    return SERVER.done("wf", "show", run, "-o", "ids").strip();
  }

  @Test
  void aBatchThatIsFollowedGoesOn() {
    for (var i = 0; i < 3; i++) {
      SERVER.client().start(ServerAtWork.NAP).input("x").label("test", id).send();
    }
    var only = "test=" + id;
    String[] words = {"wf", "cancel", "--label", only, "--rate", "0.01", "--yes", "--reason", id};
    try (var followed = start(SERVER.environment(), words)) {
      followed.await(" of 3 done");

      assertThat(followed.end()).isEqualTo(ExitCode.INTERRUPTED.number());
      assertThat(followed.out()).contains("the batch goes on: kagzi batch show ");
      var batch = followed.out().replaceFirst("(?s).*kagzi batch show (\\S+).*", "$1");
      assertThat(SERVER.done("batch", "show", batch)).contains("RUNNING", "reason  " + id);
      SERVER.done("batch", "cancel", batch);
    }
    SERVER.done("wf", "cancel", "--label", only, "--yes");
  }

  @ParameterizedTest
  @ValueSource(strings = {"wf cancel one two", "wf cancel - --yes", "run greet -"})
  void whatReadsAKeyboardThatNobodyTypesOnEndsAtOnce(String line) throws Exception {
    try (var typed = new Untyped();
        var command =
            Unfinished.start(
                Path.of("").toAbsolutePath(),
                SERVER.environment(),
                typed,
                PERSON,
                line.split(" ", -1))) {
      assertThat(typed.read.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();

      var began = System.nanoTime();
      assertThat(command.end()).isEqualTo(ExitCode.INTERRUPTED.number());
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(10));
      // What is asked stands on a line, which the shell's next one must not follow.
      assertThat(command.out()).matches("(cancel 2 runs\\? \\[y/N] \\R)?");
    }
  }

  /** A keyboard on which nobody types; who reads it hears no interrupt, as of a real one. */
  private static final class Untyped extends InputStream {
    private final CountDownLatch read = new CountDownLatch(1);
    private volatile boolean closed;

    @Override
    public int read() {
      read.countDown();
      while (!closed) {
        LockSupport.parkNanos(this, TimeUnit.SECONDS.toNanos(1));
        Thread.interrupted();
      }
      return -1;
    }

    @Override
    public int read(byte[] into, int from, int length) {
      return read();
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  @Test
  void aRunWhoseStartWasNotAnsweredMayBeThere() throws Exception {
    try (var silent = new SilentServer()) {
      assertThat(silent.interrupt("run", "greet", "\"x\"", "--id", id))
          .contains("the run may have been started: kagzi wf show " + id);
      assertThat(silent.interrupt("wf", "start", "greet", "\"x\""))
          .contains("the run may have been started: kagzi wf list --type greet --since 1m");
    }
  }

  @Test
  void aBatchWhoseStartWasNotAnsweredMayBeThere() throws Exception {
    try (var silent = new SilentServer()) {
      assertThat(silent.interrupt("wf", "cancel", "--type", "greet", "--yes"))
          .contains("the batch may have been started: kagzi batch list");
    }
  }

  /** Takes a request to start something and does not answer. */
  private static final class SilentServer extends WorkflowServiceImplBase implements AutoCloseable {
    private final io.grpc.Server server;
    private volatile CountDownLatch asked = new CountDownLatch(1);

    SilentServer() throws IOException {
      server =
          NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
              .addService(this)
              .build()
              .start();
    }

    /** What a command has said that is ended after it has asked. */
    String interrupt(String... arguments) throws InterruptedException {
      asked = new CountDownLatch(1);
      try (var command =
          start(Map.of("KAGZI_ADDRESS", "127.0.0.1:" + server.getPort()), arguments)) {
        assertThat(asked.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(command.end()).isEqualTo(ExitCode.INTERRUPTED.number());
        return command.out();
      }
    }

    @Override
    public void startWorkflow(
        StartWorkflowRequest request, StreamObserver<StartWorkflowResponse> reply) {
      asked.countDown();
    }

    @Override
    public void startBatch(StartBatchRequest request, StreamObserver<StartBatchResponse> reply) {
      if (!request.getDryRun()) {
        asked.countDown();
        return;
      }
      var counted = StartBatchResponse.newBuilder();
      counted.getBatchBuilder().setTotal(1);
      reply.onNext(counted.build());
      reply.onCompleted();
    }

    @Override
    public void close() {
      server.shutdownNow();
    }
  }
}
