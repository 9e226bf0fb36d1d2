package dev.kagzi.server.grpc;

import static dev.kagzi.server.Wire.beginStep;
import static dev.kagzi.server.Wire.completeStep;
import static dev.kagzi.server.Wire.fail;
import static dev.kagzi.server.Wire.seconds;
import static dev.kagzi.server.Wire.sleep;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.server.TestServer;
import dev.kagzi.server.grpc.WorkerFixture.Transport;
import dev.kagzi.v1.ListWorkflowsRequest;
import dev.kagzi.v1.Task;
import dev.kagzi.v1.WorkflowRun;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whoever looks at a run sees where it is. */
class ProgressCallsTest {

  private final TestServer server = TestServer.start();

  @AfterEach
  void stop() {
    server.close();
  }

  private static String where(WorkflowRun run) {
    return "%d %s".formatted(run.getSettledSteps(), run.getCurrentStepKey());
  }

  @Test
  void whereARunIsFromItsStartToItsFailure() {
    try (var worker = new WorkerFixture(server, Transport.UNARY)) {
      String runId = worker.start();
      assertThat(where(worker.get(runId))).isEqualTo("0 ");
      Task task = worker.claim();
      String me = worker.workerId();
      worker.client().beginStep(beginStep(task, me, "charge"));
      assertThat(where(worker.get(runId))).isEqualTo("0 charge");
      worker.client().completeStep(completeStep(task, me, "charge", "1"));
      assertThat(where(worker.get(runId))).isEqualTo("1 ");
      worker.client().sleep(sleep(task, me, seconds(600)).toBuilder().setRelease(false).build());
      assertThat(where(worker.get(runId))).isEqualTo("1 nap");

      worker.client().fail(fail(task, me).setFailedStepKey("charge").setNonRetryable(true).build());
      assertThat(where(worker.get(runId)))
          .as("the sleep has ended with the run")
          .isEqualTo("2 charge");
      assertThat(server.workflows().listWorkflows(ListWorkflowsRequest.getDefaultInstance()))
          .extracting(list -> where(list.getRuns(0)))
          .isEqualTo("0 ");
    }
  }
}
