package dev.kagzi.engine.operation;

import static dev.kagzi.engine.TestEngine.NAMESPACE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.engine.TestEngine;
import dev.kagzi.engine.domain.Explanation;
import dev.kagzi.engine.domain.Explanation.Reason;
import dev.kagzi.engine.domain.Explanation.Verdict;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.WorkerId;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ExplanationsTest {

  private final TestEngine kagzi = TestEngine.start();

  @AfterEach
  void stop() {
    kagzi.close();
  }

  @Test
  void aRunWhoseLeaseIsOverIsAboutToBeTakenBack() {
    WorkerId worker = kagzi.registerWorker();
    RunId runId = kagzi.startRun();
    Task task = kagzi.pollOne(worker);
    // Whoever looks a minute later finds the lease over, and no sweeper comes in between.
    var later =
        new Explanations(
            kagzi.database(), () -> kagzi.engine().clock().instant().plus(Duration.ofMinutes(1)));

    Explanation explanation = later.explain(NAMESPACE, runId).explanation();

    Instant leaseEnd = explanation.since();
    assertThat(explanation.reason()).isEqualTo(Reason.LEASE_EXPIRED);
    assertThat(explanation.verdict()).isEqualTo(Verdict.DEGRADED);
    assertThat(explanation.sentence())
        .contains("held the run until " + leaseEnd, "is silent", "about to be taken back");
    assertThat(explanation.evidence())
        .contains(
            new Explanation.Evidence(
                "lease",
                "epoch %d, until %s".formatted(task.claim().epoch(), leaseEnd),
                Verdict.DEGRADED));
    assertThat(kagzi.engine().explanations().explain(NAMESPACE, runId).explanation().reason())
        .isEqualTo(Reason.RUNNING);
  }
}
