package dev.kagzi.engine;

import static dev.kagzi.engine.TestEngine.fence;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.kagzi.core.ErrorKind;
import dev.kagzi.core.PartialRetryPolicy;
import dev.kagzi.core.Payload;
import dev.kagzi.core.RetryPolicy;
import dev.kagzi.engine.commit.Endings;
import dev.kagzi.engine.domain.Failure;
import dev.kagzi.engine.domain.FinishOutcome;
import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunPolicies;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.StartRequest;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.TypeVersion;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.operation.Tasks;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What follows when a run fails: another attempt, or a handler. */
class FailureHandlerTest {

  private static final TypeVersion HANDLER = new TypeVersion("handle-failure", "");
  private static final TypeVersion NAMESPACE_HANDLER =
      new TypeVersion("__kagzi_failure_handler", "");
  private static final Failure ERROR =
      new Failure(
          ErrorKind.NETWORK_ERROR,
          "shop.Unreachable",
          List.of("java.io.IOException"),
          "no route",
          "at shop.Payments",
          null);

  private static final Payload JSON =
      new Payload(
          "{\"n\":7}".getBytes(StandardCharsets.UTF_8), Map.of("content-type", "application/json"));

  private TestEngine kagzi;
  private Tasks tasks;
  private WorkerId worker;

  @BeforeEach
  void start() {
    kagzi = TestEngine.start();
    tasks = kagzi.engine().tasks();
    worker = kagzi.registerWorker(List.of(TestEngine.TYPE, HANDLER));
  }

  @AfterEach
  void stop() {
    kagzi.close();
  }

  private static StartRequest.Builder handled(@Nullable PartialRetryPolicy retry) {
    return TestEngine.request()
        .policies(new RunPolicies(retry, null, null, null, HANDLER.workflowType(), null));
  }

  private Task startAndPoll(StartRequest.Builder request) {
    kagzi.engine().workflows().start(request.build());
    return kagzi.pollOne(worker);
  }

  private FinishOutcome fail(Task task) {
    return tasks.finish(fence(task), new RunEnding.Failed(ERROR, null));
  }

  private List<Task> pollHandlers(TypeVersion type) {
    return kagzi.poll(worker, List.of(type), 5, Duration.ofMillis(300));
  }

  private Run get(RunId runId) {
    return kagzi.engine().workflows().get(TestEngine.NAMESPACE, runId);
  }

  @Test
  void isStartedWithTheFailureAndToldEverything() {
    Task task = startAndPoll(handled(null).externalId("order-7").input(JSON));

    FinishOutcome.Ended ended =
        (FinishOutcome.Ended) tasks.finish(fence(task), new RunEnding.Failed(ERROR, "charge"));

    Task handler = pollHandlers(HANDLER).get(0);
    assertThat(ended.handlers()).containsExactly(handler.claim().runId());
    assertThat(handler.claim().handlerFor()).isEqualTo(task.claim().runId());
    assertThat(handler.claim().externalId()).isEqualTo("failure-" + task.claim().runId());
    JsonNode event =
        JsonMapper.shared().readTree(new String(handler.input().data(), StandardCharsets.UTF_8));
    assertThat(event.get("failedRunId").asString()).isEqualTo(task.claim().runId().toString());
    assertThat(event.get("namespace").asString()).isEqualTo("default");
    assertThat(event.get("workflowType").asString()).isEqualTo("process-order");
    assertThat(event.get("taskQueue").asString()).isEqualTo("orders");
    assertThat(event.get("error").get("kind").asString()).isEqualTo("ERROR_KIND_NETWORK_ERROR");
    assertThat(event.get("error").get("message").asString()).isEqualTo("no route");
    assertThat(event.get("originalInput").get("json").asString()).isEqualTo("{\"n\":7}");
    assertThat(event.get("attempts").asInt()).isEqualTo(1);
    assertThat(event.get("startedAt").asString()).startsWith("20");
    assertThat(event.get("failedAt").asString()).startsWith("20");
    assertThat(event.get("status").asString()).isEqualTo("WORKFLOW_STATUS_FAILED");
    assertThat(event.get("failedStepKey").asString()).isEqualTo("charge");
    assertThat(event.get("externalId").asString()).isEqualTo("order-7");
  }

  @Test
  void isStartedOnceHoweverOftenTheFailureIsReported() {
    Task task = startAndPoll(handled(null));
    fail(task);
    fail(task);

    assertThat(pollHandlers(HANDLER)).hasSize(1);
    assertThat(pollHandlers(HANDLER)).isEmpty();
  }

  @Test
  void isNotHandledItselfWhenItFails() {
    kagzi.registerWorker(List.of(NAMESPACE_HANDLER));
    Task task = startAndPoll(handled(null));
    fail(task);
    Task handler = pollHandlers(HANDLER).get(0);
    assertThat(pollHandlers(NAMESPACE_HANDLER)).hasSize(1);

    ListAppender<ILoggingEvent> said = new ListAppender<>();
    said.start();
    Logger log = (Logger) LoggerFactory.getLogger(Endings.class);
    log.addAppender(said);
    fail(handler);
    log.detachAppender(said);

    assertThat(said.list)
        .filteredOn(line -> line.getLevel() == Level.ERROR)
        .extracting(ILoggingEvent::getFormattedMessage)
        .anyMatch(line ->
            line.startsWith("Failure handler workflow failed. Halting recursion.")
                && line.contains(handler.claim().runId().toString())
                && line.contains(task.claim().runId().toString()));
    assertThat(get(handler.claim().runId()).status()).isEqualTo(RunStatus.FAILED);
    assertThat(pollHandlers(HANDLER)).isEmpty();
    assertThat(pollHandlers(NAMESPACE_HANDLER)).isEmpty();
  }

  @Test
  void ofTheNamespaceIsStartedAsSoonAsAWorkerServesIt() {
    fail(startAndPoll(TestEngine.request()));
    assertThat(pollHandlers(NAMESPACE_HANDLER)).isEmpty();
    kagzi.registerWorker(List.of(NAMESPACE_HANDLER));

    Task task = startAndPoll(TestEngine.request());
    fail(task);

    Task handler = pollHandlers(NAMESPACE_HANDLER).get(0);
    assertThat(handler.claim().handlerFor()).isEqualTo(task.claim().runId());
    assertThat(handler.claim().externalId()).isEqualTo("system-failure-" + task.claim().runId());
  }

  @Test
  void isStartedForATimeoutAndNotForACancel() {
    Task cancelled = startAndPoll(handled(null));
    kagzi.engine().workflows().cancel("default", cancelled.claim().runId(), "test");
    assertThat(pollHandlers(HANDLER)).isEmpty();
    Task late = startAndPoll(handled(null));
    kagzi.execute("UPDATE kagzi.workflow_runs SET deadline_at = now() - interval '1 second'");

    kagzi.engine().deadlines().enforce();

    assertThat(get(late.claim().runId()).status()).isEqualTo(RunStatus.TIMED_OUT);
    assertThat(pollHandlers(HANDLER).get(0).claim().handlerFor()).isEqualTo(late.claim().runId());
  }

  @Test
  void waitsUntilTheRunHasHadItsAttempts() {
    PartialRetryPolicy twice =
        new PartialRetryPolicy(
            2, Duration.ofMillis(20), null, null, List.of(), 0.0, null, Set.of());
    Task first = startAndPoll(handled(twice));

    FinishOutcome outcome = fail(first);
    assertThat(outcome).isInstanceOf(FinishOutcome.Retry.class);
    assertThat(fail(first)).isEqualTo(outcome);

    Task second = kagzi.pollOne(worker);
    assertThat(second.claim().failures()).isEqualTo(1);
    assertThat(pollHandlers(HANDLER)).isEmpty();
    assertThat(fail(second)).isInstanceOf(FinishOutcome.Ended.class);
    assertThat(pollHandlers(HANDLER)).hasSize(1);
  }

  @Test
  void anErrorOutsideStepsEndsARunWhoseStarterGaveNoPolicy() {
    Task task = startAndPoll(TestEngine.request());

    assertThat(fail(task)).isInstanceOf(FinishOutcome.Ended.class);
  }

  @Test
  void theFailureOfAStepIsFinalBecauseTheStepHadItsAttempts() {
    PartialRetryPolicy often =
        new PartialRetryPolicy(
            RetryPolicy.UNLIMITED, null, null, null, List.of(), null, null, Set.of());
    Task task = startAndPoll(handled(often));

    assertThat(tasks.finish(fence(task), new RunEnding.Failed(ERROR, "charge")))
        .isInstanceOf(FinishOutcome.Ended.class);
  }
}
