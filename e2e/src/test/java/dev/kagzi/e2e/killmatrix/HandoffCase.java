package dev.kagzi.e2e.killmatrix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.v1.PollTaskRequest;
import dev.kagzi.v1.PollTaskResponse;
import dev.kagzi.v1.StartWorkflowRequest;
import dev.kagzi.v1.StartWorkflowResponse;
import dev.kagzi.v1.Task;
import java.util.concurrent.CompletableFuture;

/**
 * A start whose run is claimed in the same transaction for a worker who waits: he repeats his poll,
 * and the client his start, and both find what was committed, or nothing of it.
 */
final class HandoffCase {

  private final Stage stage;
  private volatile StartWorkflowRequest start;
  private volatile PollTaskRequest poll;

  private HandoffCase(Stage stage) {
    this.stage = stage;
    this.start = stage.aStart().build();
    this.poll = stage.aPoll().build();
  }

  static Act<?> start(Stage stage) {
    var handoff = new HandoffCase(stage);
    return new Act<>(
        peer -> peer.equals(stage.survivor()) ? handoff.start(peer) : handoff.startInVain(peer),
        (answer, done) -> handoff.check(answer));
  }

  private StartWorkflowResponse start(Peer peer) {
    return peer.workflows().startWorkflow(start);
  }

  /**
   * Starts runs until one is handed over, of which the server dies. One is not if it comes before
   * its poll, or much later; then it is claimed in the usual way, and the next one is tried.
   */
  private StartWorkflowResponse startInVain(Peer victim) {
    while (true) {
      // So that it is known that nothing older waits.
      var nothing = stage.aPoll().setWait(Wire.millis(100)).build();
      victim.workers().pollTask(nothing).getTasksList().forEach(stage::hold);
      poll = stage.aPoll().setClaimIdIsNew(true).build();
      start = stage.aStart().build();
      CompletableFuture<PollTaskResponse> waiting = victim.poll(poll);
      start(victim);
      waiting.join().getTasksList().forEach(stage::hold);
    }
  }

  private void check(StartWorkflowResponse answer) {
    assertThat(answer.getRunId()).isEqualTo(start.getRequestId());
    assertThat(answer.getAlreadyExists()).isFalse();
    PollTaskRequest again = poll.toBuilder().clearClaimIdIsNew().build();
    PollTaskResponse found = stage.survivor().workers().pollTask(again);
    assertThat(found.getTasksCount()).isEqualTo(1);
    Task task = found.getTasks(0);
    assertThat(task.getRunId()).isEqualTo(start.getRequestId());
    assertThat(task.getLeaseEpoch()).isEqualTo(1);
    stage.hold(task);
    stage.workOff();
    assertThat(stage.ended("run_id = '%s' AND crashes = 0".formatted(task.getRunId()))).isOne();
  }
}
