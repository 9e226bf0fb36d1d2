package dev.kagzi.e2e.failures;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.e2e.cli.Command;
import dev.kagzi.e2e.suite.Deployment;
import dev.kagzi.e2e.suite.Deployment.Home;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.KagziClient;
import dev.kagzi.sdk.client.WorkflowHandle;
import dev.kagzi.sdk.worker.Worker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A step that must not happen twice, in a process that dies in the middle of it. */
class KilledWorkerTest {

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int DIED = 7;
  private static final String QUEUE = "charges";
  private static final WorkflowType<String, String> TYPE =
      WorkflowType.of("charge", String.class, String.class);

  @TempDir private Path folder;

  /** A worker that dies while it charges. */
  static final class DyingWorker {
    public static void main(String[] args) {
      Worker.builder(args[0], QUEUE)
          .register(TYPE, AtMostOnceTest.charge(() -> Runtime.getRuntime().halt(DIED)))
          .build()
          .run();
    }
  }

  @Test
  void leavesAnAtMostOnceStepInterrupted() throws Exception {
    var executions = new AtomicInteger();
    try (Home home = Deployment.remote(Deployment.HEARTBEAT_INTERVAL, Deployment.LEASE);
        KagziClient client = KagziClient.connect(home.address());
        Worker next =
            Worker.builder(home.address(), QUEUE)
                .register(TYPE, AtMostOnceTest.charge(executions::incrementAndGet))
                .build()) {
      WorkflowHandle<String> handle = client.start(TYPE).queue(QUEUE).input("").send();
      letDie(home.address());

      next.start();

      assertThat(handle.result(LIMIT)).isEqualTo("ask a person: INTERRUPTED");
      assertThat(executions).hasValue(0);
    }
  }

  private void letDie(String address) throws Exception {
    List<String> line = Command.java(folder, DyingWorker.class.getName());
    line.add(address);
    Process dying =
        new ProcessBuilder(line)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      assertThat(dying.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(dying.exitValue()).isEqualTo(DIED);
    } finally {
      dying.destroyForcibly();
    }
  }
}
