package dev.kagzi.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kagzi.sdk.EventType;
import dev.kagzi.sdk.NonRetryableException;
import dev.kagzi.sdk.Retry;
import dev.kagzi.sdk.RunStatus;
import dev.kagzi.sdk.WorkflowContext;
import dev.kagzi.sdk.WorkflowFailedException;
import dev.kagzi.sdk.WorkflowType;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

@KagziTest
class KagziTestTest {

  private static final WorkflowType<String, String> ORDER =
      WorkflowType.of("order", String.class, String.class);

  private static final EventType<String> APPROVED = EventType.of("approved", String.class);

  /** What the code of steps has done. */
  private final List<String> done = Collections.synchronizedList(new ArrayList<>());

  private String order(WorkflowContext ctx, String item) {
    int risk = ctx.step("fraud-check", Integer.class, () -> 99);
    String payment = ctx.step("charge", String.class, () -> did("charged " + item));
    ctx.sleep("cool-off", "1d");
    String parcel = ctx.step("ship", String.class, () -> did("shipped " + item));
    return payment + ", " + parcel + " at risk " + risk;
  }

  private String did(String what) {
    done.add(what);
    return what;
  }

  @Test
  void aSleepEndsWhenTheTestLetsTimePass(TestKagzi kagzi) {
    var run = kagzi.register(ORDER, this::order).stub("fraud-check", 12).start(ORDER, "kettle");

    run.until(r -> r.isSleepingIn("cool-off"));
    assertThat(done).containsExactly("charged kettle");
    run.advance("23h");
    assertThat(run.status()).isEqualTo(RunStatus.SLEEPING);
    run.advance("1h");

    assertThat(run.hasEnded()).isTrue();
    assertThat(run.result()).isEqualTo("charged kettle, shipped kettle at risk 12");
  }

  @Test
  void timePassesByItselfForWhoeverWaitsForTheResult(TestKagzi kagzi) {
    Instant before = kagzi.now();

    var run = kagzi.register(ORDER, this::order).start(ORDER, "kettle");

    assertThat(run.result()).endsWith("at risk 99");
    assertThat(Duration.between(before, kagzi.now())).isGreaterThan(Duration.ofDays(1));
  }

  @Test
  void aLostWorkersRunIsReplayedAndWhatIsRecordedIsNotExecutedAgain(TestKagzi kagzi) {
    var passes = new ArrayList<String>();
    var run =
        kagzi
            .register(
                ORDER,
                (ctx, item) -> {
                  passes.add(item);
                  return order(ctx, item);
                })
            .crashAfter("charge")
            .start(ORDER, "kettle");

    run.until(r -> r.isSleepingIn("cool-off"));

    assertThat(passes).hasSize(2);
    assertThat(run.step("charge").executions()).isEqualTo(1);
    assertThat(run.step("charge").isSettled()).isTrue();
    assertThat(done).containsExactly("charged kettle");
    assertThat(run.result()).startsWith("charged kettle, shipped kettle");
  }

  @Test
  void aStepFailsAsOftenAsTheTestSaysAndItsRetriesTakeNoTime(TestKagzi kagzi) {
    var run =
        kagzi
            .register(
                ORDER,
                (ctx, item) ->
                    ctx.step("charge")
                        .retry(Retry.exponential(5, "1h"))
                        .run(String.class, () -> did("charged " + item)))
            .failStep("charge", 3, new IOException("gateway 503"))
            .start(ORDER, "kettle");

    assertThat(run.result()).isEqualTo("charged kettle");
    assertThat(run.step("charge").executions()).isEqualTo(4);
    assertThat(done).hasSize(1);
  }

  @Test
  void aStepThatFailsForGoodFailsTheRun(TestKagzi kagzi) {
    var run =
        kagzi
            .register(ORDER, this::order)
            .failStep("ship", 1, new NonRetryableException("no address"))
            .start(ORDER, "kettle");

    assertThatThrownBy(run::result)
        .isInstanceOf(WorkflowFailedException.class)
        .hasMessageContaining("no address");
    assertThat(run.status()).isEqualTo(RunStatus.FAILED);
  }

  @Test
  void everyDoorForTheCodeOfStepsIsUnderThePlan(TestKagzi kagzi) {
    var run =
        kagzi
            .register(
                ORDER,
                (ctx, item) -> {
                  var labels =
                      ctx.parallel("label", List.of("A", "B"), key -> key, String.class, this::did);
                  ctx.step("tell", () -> did("told"));
                  String later = ctx.step("later").async(String.class, () -> did("later")).get();
                  String found = ctx.steps(Shelves.class, new Shelf(this::did)).find(item);
                  return labels + later + found;
                })
            .stub("label[B]", "stub B")
            .stub("tell", null)
            .stub("later", "stub later")
            .stub("find", "stub find")
            .start(ORDER, "kettle");

    assertThat(run.result()).isEqualTo("[A, stub B]stub laterstub find");
    assertThat(done).containsExactly("A");
  }

  @Test
  void whatASagaUndoesIsUnderThePlanToo(TestKagzi kagzi) {
    var run =
        kagzi
            .register(
                ORDER,
                (ctx, item) ->
                    ctx.saga(saga -> {
                      saga.onFailure("charge", () -> did("refunded"));
                      ctx.step("charge", () -> did("charged"));
                      return ctx.step("ship", String.class, () -> did("shipped"));
                    }))
            .failStep("compensate:charge", 1, new IOException("gateway 503"))
            .failStep("ship", 1, new NonRetryableException("no address"))
            .start(ORDER, "kettle");

    assertThatThrownBy(run::result).hasMessageContaining("no address");
    assertThat(done).containsExactly("charged", "refunded");
    assertThat(run.step("compensate:charge").executions()).isEqualTo(2);
  }

  @Test
  void aRunThatWaitsForAnEventIsNotWaitedForInVain(TestKagzi kagzi) {
    var run =
        kagzi
            .register(ORDER, (ctx, item) -> item + " " + ctx.waitFor(APPROVED))
            .start(ORDER, "kettle");

    assertThatThrownBy(run::result)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("nothing falls due any more")
        .hasMessageContaining("approved");

    assertThat(run.isWaitingFor("approved")).isTrue();
    assertThat(run.send(APPROVED, "by Ada").result()).isEqualTo("kettle by Ada");
  }

  @Test
  void aRunOutOfTimeIsEnded(TestKagzi kagzi) {
    kagzi.register(ORDER, this::order);
    var run =
        kagzi.run(kagzi.client().start(ORDER).queue("test").timeout("2h").input("kettle").send());

    run.advance("3h");

    assertThat(run.status()).isEqualTo(RunStatus.TIMED_OUT);
  }

  @Test
  void childrenAndSchedulesLiveInTheSameTime(TestKagzi kagzi) {
    var parent = WorkflowType.of("parent", String.class, String.class);
    var run =
        kagzi
            .register(ORDER, this::order)
            .register(parent, (ctx, item) -> "child " + ctx.child(ORDER).input(item).run())
            .crashAfter("ship")
            .start(parent, "kettle");

    assertThat(run.result()).isEqualTo("child charged kettle, shipped kettle at risk 99");

    kagzi.client().schedules().create(ORDER, "0 * * * *").input("hourly").queue("test").send();
    kagzi.advance("3h");
    assertThat(done).filteredOn("charged hourly"::equals).hasSize(3);
  }

  @Test
  void mistakesOfATestAreTold(TestKagzi kagzi) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> kagzi.failStep("charge", -1, new IOException()))
        .withMessage("times: -1 (expected: 0 or more)");
    kagzi.register(ORDER, this::order).start(ORDER, "kettle");
    assertThatIllegalStateException()
        .isThrownBy(() -> kagzi.register(ORDER, this::order))
        .withMessageContaining("register all workflows first");
  }

  /** Steps behind an interface that is not public. */
  interface Shelves {
    String find(String item);
  }

  record Shelf(UnaryOperator<String> search) implements Shelves {
    @Override
    public String find(String item) {
      return search.apply(item);
    }
  }
}
