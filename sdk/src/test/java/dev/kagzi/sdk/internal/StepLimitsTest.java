package dev.kagzi.sdk.internal;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.kagzi.sdk.ErrorKind;
import dev.kagzi.sdk.StepFailedException;
import dev.kagzi.sdk.WorkflowContext;
import dev.kagzi.v1.CompleteStepRequest;
import dev.kagzi.v1.WorkflowRun;
import dev.kagzi.v1.WorkflowStatus;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A run that asks for more steps than its server allows. */
class StepLimitsTest {

  private final RunFixture fixture = new RunFixture();
  private final AtomicInteger executions = new AtomicInteger();
  private final Logger log = (Logger) LoggerFactory.getLogger(RunPass.class);
  private final ListAppender<ILoggingEvent> said = new ListAppender<>();

  @BeforeEach
  void setUp() {
    said.start();
    log.addAppender(said);
    log.setLevel(Level.WARN);
    fixture.server.workers().stepLimits(2, 3);
  }

  @AfterEach
  void tearDown() {
    fixture.close();
    log.detachAppender(said);
    log.setLevel(null);
  }

  private void steps(WorkflowContext ctx, int count) {
    for (int i = 0; i < count; i++) {
      ctx.step("more", () -> executions.incrementAndGet());
    }
  }

  @Test
  void failsWithTheStepThatIsTooManyAndIsToldToContinueAsNew() {
    String runId =
        fixture.run((ctx, in) -> {
          steps(ctx, 4);
          return in;
        });

    WorkflowRun run = fixture.view(runId);
    assertThat(run.getStatus()).isEqualTo(WorkflowStatus.WORKFLOW_STATUS_FAILED);
    assertThat(run.getError().getKind())
        .isEqualTo(dev.kagzi.v1.ErrorKind.ERROR_KIND_LIMIT_EXCEEDED);
    assertThat(run.getError().getMessage())
        .contains(runId)
        .contains("more than 3 steps")
        .contains("ctx.continueAs");
    assertThat(executions).hasValue(3);
  }

  @Test
  void mayHaveAsManyAsItIsAllowedAndIsWarnedOnceBefore() {
    String runId =
        fixture.run((ctx, in) -> {
          steps(ctx, 3);
          return in;
        });

    assertThat(fixture.view(runId).getStatus()).isEqualTo(WorkflowStatus.WORKFLOW_STATUS_COMPLETED);
    assertThat(said.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .filteredOn(line -> line.contains("has 2 steps and may have 3"))
        .hasSize(1);
  }

  @Test
  void mayStillEndInGoodOrder() {
    String runId =
        fixture.run((ctx, in) -> {
          try {
            steps(ctx, 4);
          } catch (StepFailedException tooMany) {
            return tooMany.kind() == ErrorKind.LIMIT_EXCEEDED ? tooMany.step() : in;
          }
          return in;
        });

    assertThat(fixture.view(runId).getOutput().getJson()).isEqualTo("\"more#4\"");
    assertThat(fixture.server.calls().received(CompleteStepRequest.class)).hasSize(3);
  }
}
