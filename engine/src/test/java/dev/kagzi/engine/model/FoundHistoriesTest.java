package dev.kagzi.engine.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.engine.domain.ParentClosePolicy;
import dev.kagzi.engine.domain.ReusePolicy;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Histories about which the engine and the model have disagreed once, as they were shrunk. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FoundHistoriesTest {

  private static final List<String> TYPES = List.of("order", "ship");

  private Duel duel;

  @BeforeAll
  void start() {
    duel = new Duel();
  }

  @AfterAll
  void stop() {
    duel.close();
  }

  private void replay(Op... ops) {
    assertThat(new History(duel).replay(List.of(ops))).isEmpty();
  }

  private static Op start(String tag, @Nullable String externalId, @Nullable Duration deadline) {
    return new Op.Start(
        "c1",
        tag,
        "a",
        new Op.Wish(
            externalId,
            ReusePolicy.ALLOW,
            "order",
            null,
            null,
            Duration.ZERO,
            deadline,
            null,
            0,
            false));
  }

  /** Its claim time was old by then, and the search for work had gone on beyond it. */
  @Test
  void aRunThatIsAskedToEndByItsDeadlineIsHandedOutAtOnce() {
    replay(
        new Op.Register("w1", "a", "main", TYPES),
        start("late", null, Duration.ofSeconds(40)),
        new Op.Poll("w1", 1),
        new Op.Complete("w1", "late", Steps.SAGA, 1),
        new Op.Advance(Duration.ofSeconds(35)),
        new Op.SweepLeases(),
        new Op.Advance(Duration.ofSeconds(6)),
        start("other", null, null),
        new Op.Poll("w1", 1),
        new Op.EnforceDeadlines(),
        new Op.Poll("w1", 1));
  }

  /** The refusal had taken note of the parent's return, and nobody looked after its children. */
  @Test
  void theChildrenOfAParentWhoseRetryIsRefusedAreCancelled() {
    replay(
        new Op.Register("w1", "a", "main", TYPES),
        start("parent", "x", null),
        new Op.Poll("w1", 1),
        child("parent", "kid", "child", null),
        new Op.Finish("w1", "parent", Op.How.FAILED_FOR_GOOD, null),
        start("other", "x", null),
        new Op.Retry("c1", "a", "parent", null),
        new Op.CloseChildren());
  }

  /** One worker that counts wrongly must not make the engine fail, nor whoever shares its batch. */
  @Test
  void aChildUnderATakenExternalIdAndAUsedNumberIsRefused() {
    replay(
        new Op.Register("w1", "a", "main", TYPES),
        start("holder", "x", null),
        start("parent", null, null),
        new Op.Poll("w1", 2),
        child("parent", "kid", "child", "x"),
        new Op.Finish("w1", "parent", Op.How.FAILED_FOR_GOOD, "kid"),
        new Op.Retry("c1", "a", "parent", null),
        new Op.Poll("w1", 1),
        child("parent", "kid", "child", "x"));
  }

  private static Op child(String run, String step, String tag, @Nullable String externalId) {
    return new Op.StartChild(
        "w1", run, tag, step, 1, "order", externalId, ParentClosePolicy.CANCEL);
  }
}
