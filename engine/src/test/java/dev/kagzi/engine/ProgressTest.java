package dev.kagzi.engine;

import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.payload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunProgress;
import dev.kagzi.engine.domain.StepKind;
import dev.kagzi.engine.domain.StepResult;
import dev.kagzi.engine.domain.StepTraits;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.WaitRequest;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.operation.Tasks;
import dev.kagzi.engine.store.StepStore.Beginning;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Where a run is now, and how far it has come. */
class ProgressTest {

  private static RunProgress progress(TestEngine kagzi, RunId runId) {
    return kagzi.engine().workflows().details(runId, false).progress();
  }

  private static Beginning beginning(Task task, WorkerId worker, String stepKey, int seq) {
    return new Beginning(
        fence(task),
        worker,
        stepKey,
        1,
        seq,
        StepKind.FUNCTION,
        false,
        Duration.ofMinutes(1),
        null,
        StepTraits.NONE);
  }

  private static StepResult result(String stepKey, int seq) {
    return new StepResult(stepKey, 1, seq, StepKind.FUNCTION, payload("1"), null);
  }

  @Test
  void isTheStepAnnouncedLastElseTheWaitBegunLast() {
    try (TestEngine kagzi = TestEngine.start()) {
      WorkerId worker = kagzi.registerWorker();
      RunId runId = kagzi.startRun();
      assertThat(progress(kagzi, runId)).isEqualTo(new RunProgress(0, null));
      Task task = kagzi.pollOne(worker);
      Tasks tasks = kagzi.engine().tasks();

      tasks.completeStep(fence(task), worker, result("reserve", 1));
      tasks.suspend(fence(task), List.of(WaitRequest.event("paid", 2, "paid", null)), false);
      assertThat(progress(kagzi, runId)).isEqualTo(new RunProgress(1, "paid"));
      tasks.beginStep(beginning(task, worker, "pack", 3));
      tasks.beginStep(beginning(task, worker, "label", 4));
      assertThat(progress(kagzi, runId)).isEqualTo(new RunProgress(1, "label"));
      tasks.completeStep(fence(task), worker, result("label", 4));
      assertThat(progress(kagzi, runId)).isEqualTo(new RunProgress(2, "pack"));
      tasks.completeStep(fence(task), worker, result("pack", 3));
      assertThat(progress(kagzi, runId)).isEqualTo(new RunProgress(3, "paid"));
    }
  }
}
