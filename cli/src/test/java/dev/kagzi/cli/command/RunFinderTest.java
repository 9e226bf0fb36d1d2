package dev.kagzi.cli.command;

import static dev.kagzi.cli.ServerAtWork.unique;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.cli.Recorded;
import dev.kagzi.cli.ServerAtWork;
import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.v1.StartWorkflowRequest;
import dev.kagzi.v1.WorkflowServiceGrpc;
import io.grpc.ManagedChannelBuilder;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;

class RunFinderTest {
  private static final ServerAtWork SERVER = ServerAtWork.shared();
  private static final TimeOrderedIds IDS = new TimeOrderedIds(InstantSource.system());

  private static Recorded kagzi(String... arguments) {
    return SERVER.kagzi(arguments);
  }

  /** A run whose id ends as wanted; the rest is as ever. */
  private static String startEndingIn(String end, String externalId) {
    var minted = IDS.next().toString();
    var id = minted.substring(0, minted.length() - end.length()) + end;
    var channel = ManagedChannelBuilder.forTarget(SERVER.address()).usePlaintext().build();
    try {
      return WorkflowServiceGrpc.newBlockingStub(channel)
          .startWorkflow(
              StartWorkflowRequest.newBuilder()
                  .setWorkflowType("nap")
                  .setExternalId(externalId)
                  .setRequestId(id)
                  .build())
          .getRunId();
    } finally {
      channel.shutdownNow();
    }
  }

  @Test
  void doesNotGuessWhichOfSeveralRunsIsMeant() {
    var one = startEndingIn("aaaa12345678", unique("twin"));
    var other = startEndingIn("bbbb12345678", unique("twin"));

    var refused = kagzi("wf", "show", "12345678");

    assertThat(refused.code()).isEqualTo(2);
    assertThat(refused.err())
        .contains("'12345678' is the end of several run ids (expected: more digits)", one, other);
    assertThat(kagzi("wf", "show", "aaaa12345678", "-o", "ids").out()).isEqualTo(one + "\n");
  }

  @Test
  void anExternalIdIsStrongerThanTheEndOfAnId() {
    startEndingIn("cccc87654321", unique("other"));
    var named = startEndingIn("dddd00000001", "cccc87654321");

    assertThat(kagzi("wf", "show", "cccc87654321", "-o", "ids").out()).isEqualTo(named + "\n");
  }

  @Test
  void fewDigitsAreNoName() {
    var run = startEndingIn("eeee00000f1d", unique("few"));

    var refused = kagzi("wf", "show", "f1d");

    assertThat(refused.code()).isEqualTo(4);
    assertThat(refused.err()).contains("no run 'f1d' in namespace default");
    assertThat(kagzi("wf", "show", "0f1d", "-o", "ids").out()).isEqualTo(run + "\n");
  }
}
