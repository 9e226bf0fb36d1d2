package dev.kagzi.engine.loop;

import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.payload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.engine.TestEngine;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.domain.WorkerRegistration;
import dev.kagzi.engine.store.NodeStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class NodeSweeperTest {

  private static final Duration DEAD_AFTER = Duration.ofSeconds(6);

  @Test
  void freesTheRunsOfWorkersThatLivedInASilentServer() {
    try (TestEngine kagzi = TestEngine.start()) {
      NodeSweeper sweeper = new NodeSweeper(kagzi.engine().recovery(), DEAD_AFTER);
      UUID application = UUID.randomUUID();
      beat(kagzi, application);
      WorkerId embedded = register(kagzi, application);
      WorkerId remote = kagzi.registerWorker();
      RunId runId = kagzi.startRun();
      Task lost = kagzi.pollOne(embedded);
      Instant now = kagzi.engine().clock().instant();

      assertThat(sweeper.runOnce(now)).isZero();
      assertThat(sweeper.runOnce(now.plus(DEAD_AFTER).plusSeconds(1))).isEqualTo(1);

      Task again = kagzi.pollOne(remote);
      assertThat(again.claim().runId()).isEqualTo(runId);
      assertThat(again.claim().epoch()).isGreaterThan(lost.claim().epoch());
      kagzi.engine().tasks().finish(fence(again), new RunEnding.Completed(payload("1")));
    }
  }

  private static void beat(TestEngine kagzi, UUID node) {
    Instant now = kagzi.engine().clock().instant();
    kagzi
        .database()
        .inTransaction(tx ->
            new NodeStore()
                .beat(
                    tx,
                    new NodeStore.Node(node, "host", 1, "test", true),
                    new NodeStore.Moments(now, now, now, null),
                    now));
  }

  private static WorkerId register(TestEngine kagzi, UUID node) {
    return kagzi
        .engine()
        .workers()
        .register(
            new WorkerRegistration(
                TestEngine.QUEUE,
                List.of(TestEngine.TYPE),
                10,
                new WorkerRegistration.Location("host", 1, "embedded", node),
                WorkerRegistration.Software.UNKNOWN,
                Map.of()));
  }
}
