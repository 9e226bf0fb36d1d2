package dev.kagzi.e2e.failures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.kagzi.e2e.suite.Deployment;
import dev.kagzi.e2e.suite.DurabilitySuite;
import dev.kagzi.sdk.CancelOutcome;
import dev.kagzi.sdk.RequestRefusedException;
import dev.kagzi.sdk.Retry;
import dev.kagzi.sdk.ReusePolicy;
import dev.kagzi.sdk.RunStatus;
import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.WorkflowContext;
import dev.kagzi.sdk.WorkflowFailedEvent;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.WorkflowHandle;
import java.net.ConnectException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs that have ended and are sent back to work, or followed by another. */
@ParameterizedClass
@Execution(ExecutionMode.CONCURRENT)
@EnumSource(Deployment.class)
class SecondChancesTest extends DurabilitySuite {

  private final WorkflowType<String, String> type;
  private final WorkflowType<WorkflowFailedEvent, String> handler;
  private final List<String> ledger = new CopyOnWriteArrayList<>();
  private volatile boolean carrierAnswers;

  SecondChancesTest(Deployment deployment) {
    super(deployment);
    this.type = WorkflowType.of(freshName("second-" + deployment), String.class, String.class);
    this.handler =
        WorkflowType.of(
            freshName("second-handler-" + deployment), WorkflowFailedEvent.class, String.class);
  }

  /** Three steps, of which the second fails as long as the carrier does not answer. */
  private String order(WorkflowContext ctx, String in) {
    String charged = ctx.step("charge", String.class, () -> note("charge"));
    String shipped = ctx.step("ship").retry(Retry.none()).run(String.class, this::ship);
    return charged + ", " + shipped + ", " + ctx.step("mail", String.class, () -> note("mail"));
  }

  private String note(String what) {
    ledger.add(what);
    return what + " " + ledger.size();
  }

  private String ship() throws ConnectException {
    String shipped = note("ship");
    if (!carrierAnswers) {
      throw new ConnectException("no carrier");
    }
    return shipped;
  }

  @Test
  void executesTheFailedStepAgainAndNoneThatIsDone() {
    serve(type, this::order);
    WorkflowHandle<String> handle = start(type, "");
    failureOf(handle);

    carrierAnswers = true;

    assertThat(handle.retry("the carrier is back")).isTrue();
    assertThat(resultOf(handle)).isEqualTo("charge 1, ship 3, mail 4");
    assertThat(ledger).containsExactly("charge", "ship", "ship", "mail");
  }

  @Test
  void keepsWhatTheBranchesBegunWithTheFailedOneHaveDone() {
    serve(
        type,
        (ctx, in) -> {
          var shipped = ctx.step("ship").retry(Retry.none()).async(String.class, this::ship);
          var mailed = ctx.step("mail").async(String.class, () -> note("mail"));
          mailed.get();
          return shipped.get() + ", " + ctx.step("count", String.class, () -> note("count"));
        });
    WorkflowHandle<String> handle = start(type, "");
    failureOf(handle);
    carrierAnswers = true;

    handle.retry("the carrier is back");

    assertThat(resultOf(handle)).isEqualTo("ship 3, count 4");
    assertThat(ledger).containsExactlyInAnyOrder("ship", "mail", "ship", "count");
  }

  @Test
  void canBeSentBackAsOftenAsItFails() {
    serve(type, this::order);
    WorkflowHandle<String> handle = start(type, "");
    failureOf(handle);
    handle.retry("once more");
    assertThat(failureOf(handle).failedStep()).contains("ship");

    carrierAnswers = true;

    assertThat(handle.retry("and again")).isTrue();
    assertThat(resultOf(handle)).isEqualTo("charge 1, ship 4, mail 5");
  }

  @Test
  void startsTheHandlerAgainWhenItFailsAgain() {
    begin(worker().register(type, this::order).register(handler, (ctx, event) -> ctx.runId()));
    WorkflowHandle<String> handle =
        client.start(type).queue(queue()).onFailure(handler.name()).input("").send();
    failureOf(handle);
    WorkflowHandle<String> first = handlerRun("failure-" + handle.runId());

    handle.retry("once more");
    failureOf(handle);

    WorkflowHandle<String> second = handlerRun("failure-" + handle.runId() + "-1");
    assertThat(resultOf(first)).isEqualTo(first.runId());
    assertThat(resultOf(second)).isEqualTo(second.runId()).isNotEqualTo(first.runId());
  }

  /** The handler that has this id; nothing starts another with it. */
  private WorkflowHandle<String> handlerRun(String id) {
    WorkflowHandle<String> found =
        client.start(handler).id(id).reusePolicy(ReusePolicy.REJECT).queue(freshName("q")).send();
    assertThat(found.alreadyExisted()).as("whether there is a handler " + id).isTrue();
    return found;
  }

  @Test
  void isLeftAloneWhileItIsAtWork() {
    serve(type, (ctx, in) -> sleepFor(ctx, "1h"));
    WorkflowHandle<String> handle = start(type, "");
    awaitStatus(handle, RunStatus.SLEEPING);

    assertThat(handle.retry("impatience")).isFalse();

    assertThat(handle.status()).isEqualTo(RunStatus.SLEEPING);
  }

  private static String sleepFor(WorkflowContext ctx, String time) {
    ctx.sleep("pause", time);
    return "rested";
  }

  @Test
  void isNotSentBackOnceItHasCompleted() {
    serve(type, (ctx, in) -> in);
    WorkflowHandle<String> handle = start(type, "done");
    resultOf(handle);

    RequestRefusedException refusal = refusalOf(() -> handle.retry("why not"));

    assertThat(refusal.reason()).isEqualTo("RUN_TERMINAL");
    assertThat(refusal).hasMessageContaining(handle.runId() + " is COMPLETED; only a FAILED or");
    assertThat(resultOf(handle)).isEqualTo("done");
  }

  @Test
  void isNotSentBackOnceItWasCancelled() {
    WorkflowHandle<String> handle = start(type, "");
    handle.cancel("not wanted");

    RequestRefusedException refusal = refusalOf(() -> handle.retry("wanted after all"));

    assertThat(refusal.reason()).isEqualTo("RUN_CANCELLED");
    assertThat(refusal).hasMessageContaining(handle.runId() + " is CANCELLED; only a FAILED or");
    assertThat(handle.status()).isEqualTo(RunStatus.CANCELLED);
  }

  /** Within a saga that undoes what was charged. */
  private Workflow<String, String> saga() {
    return (ctx, in) ->
        ctx.saga(saga -> {
          saga.onFailure("charge", () -> ledger.add("refund"));
          return order(ctx, in);
        });
  }

  @Test
  void isNotSentBackOnceItHasUndoneItsWorkButCanBeForked() {
    serve(type, saga());
    WorkflowHandle<String> handle = start(type, "");
    failureOf(handle);
    carrierAnswers = true;

    RequestRefusedException refusal = refusalOf(() -> handle.retry("the carrier is back"));

    assertThat(refusal.reason()).isEqualTo("COMPENSATED");
    assertThat(refusal).hasMessageContaining("has undone its work and cannot go on; fork it");
    assertThat(resultOf(handle.forkFrom("charge"))).isEqualTo("charge 4, ship 5, mail 6");
    assertThat(ledger).containsExactly("charge", "ship", "refund", "charge", "ship", "mail");
  }

  @Test
  void undoesItsWorkWhenItIsStoppedAfterItHadFailedToUndoIt() {
    serve(
        type,
        (ctx, in) ->
            ctx.saga(saga -> {
              saga.onFailure("charge", Retry.none(), this::refund);
              ctx.step("charge", () -> ledger.add("charge"));
              return carrierAnswers ? sleepFor(ctx, "1h") : refuse("no carrier");
            }));
    WorkflowHandle<String> handle = start(type, "");
    assertThat(failureOf(handle).failedStep()).isEmpty();

    carrierAnswers = true;
    handle.retry("the carrier is back");
    awaitStatus(handle, RunStatus.SLEEPING);

    assertThat(handle.cancel("not wanted")).isEqualTo(CancelOutcome.STOP_REQUESTED);
    assertThat(failureOf(handle).status()).isEqualTo(RunStatus.CANCELLED);
    assertThat(ledger).containsExactly("charge", "refund", "refund");
  }

  private void refund() throws ConnectException {
    ledger.add("refund");
    if (!carrierAnswers) {
      throw new ConnectException("no bank");
    }
  }

  private static String refuse(String why) {
    throw new IllegalStateException(why);
  }

  @Test
  void hasItsWholeTimeAgainAfterItRanOutOfIt() {
    serve(
        type,
        (ctx, in) -> {
          ledger.add("tried");
          return sleepFor(ctx, carrierAnswers ? "1ms" : "1h");
        });
    WorkflowHandle<String> handle =
        client.start(type).queue(queue()).timeout("3s").input("").send();
    assertThat(failureOf(handle).status()).isEqualTo(RunStatus.TIMED_OUT);

    handle.retry("it may try again");
    assertThat(failureOf(handle).status()).isEqualTo(RunStatus.TIMED_OUT);
    assertThat(ledger).containsExactly("tried", "tried");

    carrierAnswers = true;
    handle.retry("it need not wait any more");
    assertThat(resultOf(handle)).isEqualTo("rested");
  }

  @Test
  void isFollowedByARunThatTakesOverWhatItHadDoneBeforeAStep() {
    carrierAnswers = true;
    serve(type, this::order);
    WorkflowHandle<String> handle = start(type, "");
    resultOf(handle);

    WorkflowHandle<String> fork = handle.forkFrom("ship");

    assertThat(fork.runId()).isNotEqualTo(handle.runId());
    assertThat(resultOf(fork)).isEqualTo("charge 1, ship 4, mail 5");
    assertThat(resultOf(handle)).isEqualTo("charge 1, ship 2, mail 3");
    assertThat(ledger).containsExactly("charge", "ship", "mail", "ship", "mail");
  }

  @Test
  void isNotFollowedFromAStepItDoesNotHave() {
    carrierAnswers = true;
    serve(type, this::order);
    WorkflowHandle<String> handle = start(type, "");
    resultOf(handle);

    RequestRefusedException refusal = refusalOf(() -> handle.forkFrom("shop"));

    assertThat(refusal.reason()).isEqualTo("INVALID_ARGUMENT");
    assertThat(refusal).hasMessageContaining("has no step 'shop' (it has: charge, ship, mail)");
  }

  private static RequestRefusedException refusalOf(ThrowingCallable call) {
    RequestRefusedException refusal = catchThrowableOfType(RequestRefusedException.class, call);
    assertThat(refusal).as("the refusal").isNotNull();
    return refusal;
  }
}
