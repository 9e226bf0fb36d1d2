package dev.kagzi.engine.commit;

import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.result;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.engine.TestEngine;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.StepCap;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.WorkerId;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A history is counted now and then, and always once it was found full. */
class StepCeilingTest {

  private final AtomicBoolean chance = new AtomicBoolean();
  private final StepCeiling ceiling = new StepCeiling(new StepCap(1), chance::get);

  @Test
  void findsWhoHasGrownTooLongAndKeepsAnEyeOnThem() {
    try (TestEngine kagzi = TestEngine.start()) {
      WorkerId worker = kagzi.registerWorker();
      RunId runId = kagzi.startRun();
      RunId other = kagzi.startRun();
      Task task = kagzi.pollOne(worker);
      for (int i = 1; i <= 2; i++) {
        kagzi.engine().tasks().completeStep(fence(task), worker, result("step" + i, "1"));
      }
      chance.set(true);
      assertThat(find(kagzi, runId, other)).isEmpty();
      kagzi.engine().tasks().completeStep(fence(task), worker, result("step3", "1"));

      chance.set(false);
      assertThat(find(kagzi, runId, other)).as("left to chance").isEmpty();
      chance.set(true);
      assertThat(find(kagzi, runId, other)).containsExactly(runId);
      chance.set(false);
      assertThat(find(kagzi, runId, other)).as("remembered").containsExactly(runId);

      kagzi.execute("UPDATE kagzi.step_runs SET superseded_at = now() WHERE step_key = 'step3'");
      assertThat(find(kagzi, runId)).as("it was sent back").isEmpty();
    }
  }

  private Set<RunId> find(TestEngine kagzi, RunId... growing) {
    return kagzi
        .database()
        .inTransaction(tx -> ceiling.findFull(tx, ceiling.suspects(List.of(growing))));
  }
}
