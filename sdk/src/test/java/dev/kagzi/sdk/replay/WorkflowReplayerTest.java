package dev.kagzi.sdk.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kagzi.sdk.StepFailedException;
import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.WorkflowContext;
import dev.kagzi.sdk.WorkflowType;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WorkflowReplayerTest {

  private static final WorkflowType<String, String> TYPE =
      WorkflowType.of("order", String.class, String.class);

  private static final String CHARGE =
      """
      {"seq": 1, "key": "charge", "kind": "FUNCTION", "status": "COMPLETED", "attempt": 1,
       "settled": true, "output": {"json": "\\"paid\\""}}
      """;

  private static final String COOL_OFF =
      """
      {"seq": 2, "key": "cool-off", "kind": "SLEEP", "status": "COMPLETED", "attempt": 1,
       "settled": true}
      """;

  private static final String RETURNED =
      """
      {"status": "COMPLETED", "at": "2026-02-03T04:05:06Z", "output": {"json": "\\"in paid\\""}}
      """;

  private final AtomicInteger executions = new AtomicInteger();

  @AfterEach
  void noStepIsEverExecuted() {
    assertThat(executions).hasValue(0);
  }

  private static String history(String outcome, String... items) {
    return """
    {"format": 1, "runId": "0198f000-0000-7000-8000-000000000001", "type": "order",
     "version": "3", "input": {"json": "\\"in\\""}, "outcome": %s, "history": [%s]}
    """
        .formatted(outcome, String.join(", ", items));
  }

  private String execute() {
    executions.incrementAndGet();
    return "executed";
  }

  /** What made the history. */
  private final Workflow<String, String> original =
      (ctx, in) -> {
        String payment = ctx.step("charge", String.class, this::execute);
        ctx.sleep("cool-off", "1h");
        return in + " " + payment;
      };

  private static Divergence divergence(Workflow<String, String> workflow, String history) {
    return WorkflowReplayer.of(TYPE, workflow).replay(history).divergence().orElseThrow();
  }

  @Test
  void theCodeThatMadeAHistoryMatchesIt() {
    String history = history(RETURNED, CHARGE, COOL_OFF);

    assertThat(WorkflowReplayer.of(TYPE, original).replay(history).matches()).isTrue();
    WorkflowReplayer.of(TYPE, original).check(history);
  }

  @Test
  void aStepThatWasRenamedIsNamedOnBothSides() {
    Divergence found =
        divergence(
            (ctx, in) -> in + ctx.step("pay", String.class, this::execute),
            history(RETURNED, CHARGE, COOL_OFF));

    assertThat(found.kind()).isEqualTo(Divergence.Kind.NOT_RECORDED);
    assertThat(found.step()).contains("pay");
    assertThat(found.message()).contains("'pay'").contains("'charge'");
  }

  @Test
  void aBranchThatIsNotRecordedIsNotExecutedEither() {
    Divergence found =
        divergence(
            (ctx, in) -> {
              var extra = ctx.step("extra").async(String.class, this::execute);
              String payment = ctx.step("charge", String.class, this::execute);
              ctx.sleep("cool-off", "1h");
              ctx.all(extra);
              return in + " " + payment;
            },
            history(RETURNED, CHARGE, COOL_OFF));

    assertThat(found.kind()).isEqualTo(Divergence.Kind.NOT_RECORDED);
    assertThat(found.step()).contains("extra");
  }

  @Test
  void aStepThatIsNoLongerAskedForIsNamed() {
    Divergence found =
        divergence(
            (ctx, in) -> in + " " + ctx.step("charge", String.class, this::execute),
            history(RETURNED, CHARGE, COOL_OFF));

    assertThat(found.kind()).isEqualTo(Divergence.Kind.NOT_ASKED);
    assertThat(found.step()).contains("cool-off");
  }

  @Test
  void aStepOfAnotherKindIsNamed() {
    Divergence found =
        divergence(
            (ctx, in) -> {
              ctx.sleep("charge", "1h");
              return in;
            },
            history(RETURNED, CHARGE, COOL_OFF));

    assertThat(found.kind()).isEqualTo(Divergence.Kind.OTHER_KIND);
    assertThat(found.step()).contains("charge");
  }

  @Test
  void aResultOfAnotherTypeIsNamedEvenIfTheCodeCatchesIt() {
    Divergence found =
        divergence(
            (ctx, in) -> {
              try {
                ctx.step("charge", Integer.class, executions::incrementAndGet);
              } catch (RuntimeException swallowed) {
                ctx.sleep("cool-off", "1h");
              }
              return "in paid";
            },
            history(RETURNED, CHARGE, COOL_OFF));

    assertThat(found.kind()).isEqualTo(Divergence.Kind.UNREADABLE);
    assertThat(found.message()).contains("step 'charge'").contains("Integer");
  }

  @Test
  void anotherResultIsNamedWithBoth() {
    Divergence found =
        divergence((ctx, in) -> original.run(ctx, in) + "!", history(RETURNED, CHARGE, COOL_OFF));

    assertThat(found.kind()).isEqualTo(Divergence.Kind.OTHER_OUTCOME);
    assertThat(found.message()).contains("\"in paid!\"").contains("\"in paid\"");
  }

  @Test
  void aFailureMatchesByItsTypeAndStep() {
    String declined =
        """
        {"seq": 1, "key": "charge", "kind": "FUNCTION", "status": "FAILED", "attempt": 3,
         "settled": true, "error": {"kind": "UNKNOWN", "type": "shop.Declined",
         "supertypes": ["java.lang.Exception"], "message": "no money"}}
        """;
    String failed =
        """
        {"status": "FAILED", "failedStep": "charge", "error": {"kind": "UNKNOWN",
         "type": "shop.Declined", "supertypes": [], "message": "no money"}}
        """;

    assertThat(WorkflowReplayer.of(TYPE, original).replay(history(failed, declined)).matches())
        .isTrue();
    Divergence found =
        divergence(
            (ctx, in) -> {
              try {
                return original.run(ctx, in);
              } catch (StepFailedException e) {
                return "sorry";
              }
            },
            history(failed, declined));
    assertThat(found.kind()).isEqualTo(Divergence.Kind.OTHER_OUTCOME);
    assertThat(found.message()).contains("returned \"sorry\"").contains("shop.Declined");
  }

  @Test
  void aRunThatGoesOnIsReplayedAsFarAsItHasCome() {
    String sleeping = "{\"status\": \"SLEEPING\"}";

    assertThat(WorkflowReplayer.of(TYPE, original).replay(history(sleeping, CHARGE)).matches())
        .isTrue();
    Divergence found =
        divergence(
            (ctx, in) -> in + ctx.step("pay", String.class, this::execute),
            history(sleeping, CHARGE));
    assertThat(found.step()).contains("pay");
  }

  @Test
  void aRunThatWasCancelledIsReplayedToWhereItStopped() {
    String cancelled = "{\"status\": \"CANCELLED\"}";

    assertThat(WorkflowReplayer.of(TYPE, original).replay(history(cancelled, CHARGE)).matches())
        .isTrue();
    Divergence found =
        divergence(
            (ctx, in) -> in + ctx.step("pay", String.class, this::execute),
            history(cancelled, CHARGE));
    assertThat(found.kind()).isEqualTo(Divergence.Kind.NOT_ASKED);
    assertThat(found.step()).contains("charge");
  }

  private static final WorkflowType<String, String> SHIP =
      WorkflowType.of("ship", String.class, String.class);

  private static final String SHIPPED =
      """
      {"seq": 2, "key": "child:ship", "kind": "CHILD_WORKFLOW", "status": "COMPLETED", "attempt": 1,
       "settled": true, "childRunId": "0198f000-0000-7000-8000-000000000002",
       "output": {"json": "\\"paid\\""}}
      """;

  @Test
  void aChildIsReplayedWithItsResultAndItsId() {
    String history = history(RETURNED, CHARGE, SHIPPED);

    WorkflowReplayer.of(
            TYPE,
            (ctx, in) -> {
              ctx.step("charge", String.class, this::execute);
              return in + " " + ctx.child(SHIP).input(in).run();
            })
        .check(history);
    WorkflowReplayer.of(
            TYPE,
            (ctx, in) -> {
              ctx.step("charge", String.class, this::execute);
              var child = ctx.child(SHIP).input(in).start();
              assertThat(child.runId()).isEqualTo("0198f000-0000-7000-8000-000000000002");
              return in + " " + child.get();
            })
        .check(history);
  }

  @Test
  void aChildOfAnotherTypeIsNamedAndNotStarted() {
    WorkflowType<String, String> send = WorkflowType.of("send", String.class, String.class);
    for (Workflow<String, String> changed :
        List.<Workflow<String, String>>of(
            (ctx, in) -> shipped(ctx, in, send),
            (ctx, in) -> {
              ctx.step("charge", String.class, this::execute);
              return in + " " + ctx.child(send).start().get();
            })) {
      Divergence found = divergence(changed, history(RETURNED, CHARGE, SHIPPED));

      assertThat(found.kind()).isEqualTo(Divergence.Kind.NOT_RECORDED);
      assertThat(found.step()).contains("child:send");
      assertThat(found.message()).contains("'child:send' as CHILD_WORKFLOW", "'child:ship'");
    }
  }

  private String shipped(WorkflowContext ctx, String in, WorkflowType<String, String> type) {
    ctx.step("charge", String.class, this::execute);
    return in + " " + ctx.child(type).input(in).run();
  }

  @Test
  void aStepInThePlaceOfAChildIsNamed() {
    Divergence found =
        divergence(
            (ctx, in) -> {
              ctx.step("charge", String.class, this::execute);
              return in + ctx.step("child:ship", String.class, this::execute);
            },
            history(RETURNED, CHARGE, SHIPPED));

    assertThat(found.kind()).isEqualTo(Divergence.Kind.OTHER_KIND);
    assertThat(found.step()).contains("child:ship");
  }

  @Test
  void aFanOutIsReplayedUpToItsResultsWhichNoHistoryHolds() {
    String fanOut = SHIPPED.replace("child:ship", "each");
    String after = COOL_OFF.replace("\"seq\": 2", "\"seq\": 3");
    String history = history(RETURNED, CHARGE, fanOut, after);
    Workflow<String, String> mapping =
        (ctx, in) -> {
          ctx.step("charge", String.class, this::execute);
          return in + ctx.childMap("each", List.of("a", "b"), SHIP, 2);
        };

    WorkflowReplayer.of(TYPE, mapping).check(history);
    Divergence left =
        divergence((ctx, in) -> in + ctx.childMap("each", List.of("a"), SHIP, 2), history);
    assertThat(left.step()).contains("charge");
    Divergence renamed =
        divergence(
            (ctx, in) -> {
              ctx.step("charge", String.class, this::execute);
              return in + ctx.childMap("every", List.of("a"), SHIP, 2);
            },
            history);
    assertThat(renamed.kind()).isEqualTo(Divergence.Kind.NOT_RECORDED);
    assertThat(renamed.step()).contains("every");
  }

  @Test
  void aCheckThrowsWithWhatToDo() {
    assertThatThrownBy(() ->
            WorkflowReplayer.of(TYPE, (ctx, in) -> in).check(history(RETURNED, CHARGE, COOL_OFF)))
        .isInstanceOf(DivergedException.class)
        .hasMessageContaining("Workflow 'order' does not match")
        .hasMessageContaining("without asking for 'charge'")
        .hasMessageContaining("ctx.patched");
  }

  @Test
  void whatIsNoHistoryIsRefused() {
    WorkflowReplayer replayer = WorkflowReplayer.of(TYPE, original);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> replayer.replay("no json"))
        .withMessageContaining("expected: what exportHistory returned");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> replayer.replay("{\"format\": 2}"))
        .withMessageContaining("has format 2 (expected: 1");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> replayer.replay(history(RETURNED, CHARGE).replace("\"order\"", "\"other\"")))
        .withMessageContaining("'other' (expected: 'order')");
  }
}
