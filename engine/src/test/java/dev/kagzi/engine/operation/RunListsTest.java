package dev.kagzi.engine.operation;

import static dev.kagzi.engine.TestEngine.fence;
import static dev.kagzi.engine.TestEngine.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kagzi.core.ErrorKind;
import dev.kagzi.engine.TestEngine;
import dev.kagzi.engine.domain.Criterion;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.Failure;
import dev.kagzi.engine.domain.Run;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.WorkerId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RunListsTest {

  private static final String NAMESPACE = TestEngine.NAMESPACE;

  private final List<RunId> newestFirst = new ArrayList<>();
  private TestEngine kagzi;
  private RunLists lists;

  /** 25 runs: the first 5 completed, the next 5 failed, then 5 cancelled; 10 are live. */
  @BeforeAll
  void start() {
    kagzi = TestEngine.start();
    lists = kagzi.engine().runLists();
    WorkerId worker = kagzi.registerWorker();
    for (int i = 0; i < 25; i++) {
      RunId runId =
          kagzi
              .engine()
              .workflows()
              .start(
                  TestEngine.request()
                      .externalId("order-" + i)
                      .labels(Map.of("tenant", i % 2 == 0 ? "acme" : "zen"))
                      .build())
              .runId();
      newestFirst.add(0, runId);
      if (i < 10) {
        Task task = kagzi.pollOne(worker);
        kagzi.engine().tasks().finish(fence(task), i < 5 ? completed() : failed());
      } else if (i < 15) {
        kagzi.engine().workflows().cancel(NAMESPACE, runId, "test");
      }
    }
  }

  @AfterAll
  void stop() {
    kagzi.close();
  }

  @Test
  void showsLiveAndEndedRunsNewestFirstAndPagesBothWays() {
    List<RunId> forward = new ArrayList<>();
    List<String> backTokens = new ArrayList<>();
    String token = "";
    do {
      RunLists.Listed page = lists.list(NAMESPACE, List.of(), wish(7, token));
      page.runs().forEach(run -> forward.add(run.runId()));
      backTokens.add(page.prevPageToken());
      token = page.nextPageToken();
    } while (!token.isEmpty());

    assertThat(forward).isEqualTo(newestFirst);
    assertThat(backTokens.get(0)).isEmpty();
    List<RunId> backward = new ArrayList<>();
    String back = backTokens.get(backTokens.size() - 1);
    while (!back.isEmpty()) {
      RunLists.Listed page = lists.list(NAMESPACE, List.of(), wish(7, back));
      List<RunId> ids = new ArrayList<>(page.runs().stream().map(Run::runId).toList());
      Collections.reverse(ids);
      backward.addAll(ids);
      back = page.prevPageToken();
    }
    Collections.reverse(backward);
    assertThat(backward).isEqualTo(newestFirst.subList(0, 21));
  }

  @Test
  void filtersByEverythingItKnows() {
    assertThat(count(new Criterion.HasStatus(Set.of(RunStatus.FAILED)))).isEqualTo(5);
    assertThat(count(new Criterion.HasStatus(Set.of(RunStatus.FAILED, RunStatus.PENDING))))
        .isEqualTo(15);
    assertThat(count(new Criterion.HasType(Set.of("process-order")))).isEqualTo(25);
    assertThat(count(new Criterion.HasType(Set.of("other")))).isZero();
    assertThat(count(new Criterion.HasExternalId("order-3"))).isEqualTo(1);
    assertThat(count(new Criterion.ExternalIdStartsWith("order-1"))).isEqualTo(11);
    assertThat(count(new Criterion.IsOneOf(Set.copyOf(newestFirst.subList(3, 6))))).isEqualTo(3);
    assertThat(count(new Criterion.IdEndsWith(newestFirst.get(0).toString().substring(28))))
        .isEqualTo(1);
    assertThat(count(new Criterion.HasQueue(Set.of("orders", "x")))).isEqualTo(25);
    assertThat(count(new Criterion.HasVersion(Set.of("2")))).isZero();
    assertThat(count(new Criterion.HasLabels(Map.of("tenant", "acme")))).isEqualTo(13);
    assertThat(count(new Criterion.HasLabelNames(Set.of("tenant")))).isEqualTo(25);
    assertThat(count(new Criterion.CreatedAfter(Instant.EPOCH))).isEqualTo(25);
    assertThat(count(new Criterion.CreatedBefore(Instant.EPOCH))).isZero();
    assertThat(count(new Criterion.FinishedAfter(Instant.EPOCH))).isEqualTo(15);
    assertThat(count(new Criterion.FailedInStep("charge"))).isEqualTo(5);
    assertThat(count(new Criterion.HasErrorType("CardDeclined"))).isEqualTo(5);
    assertThat(count(new Criterion.HasErrorType("Declined"))).isZero();
    assertThat(count(new Criterion.ErrorContains("INSUFFICIENT"))).isEqualTo(5);
    assertThat(count(new Criterion.HasErrorKind(Set.of(ErrorKind.VALIDATION_ERROR)))).isEqualTo(5);
    assertThat(count(new Criterion.ReadySince(Instant.parse("2100-01-01T00:00:00Z"))))
        .isEqualTo(10);
    assertThat(count(new Criterion.WaitsFor(Set.of("SLEEP")))).isZero();
    assertThat(count(new Criterion.HasParent(newestFirst.get(0)))).isZero();
    assertThat(count(new Criterion.IsOfSchedule(newestFirst.get(0)))).isZero();
    assertThat(count(new Criterion.IsForkOf(newestFirst.get(0)))).isZero();
    assertThat(count(new Criterion.IsHandlerFor(newestFirst.get(0)))).isZero();
    assertThat(count(new Criterion.FinishedBefore(Instant.EPOCH))).isZero();
    assertThat(count(new Criterion.HasWorker(new WorkerId(newestFirst.get(0).value())))).isZero();
  }

  @Test
  void listsWhatItCounts() {
    List<Criterion> criteria =
        List.of(
            new Criterion.HasLabels(Map.of("tenant", "acme")),
            new Criterion.HasStatus(Set.of(RunStatus.FAILED, RunStatus.COMPLETED)));

    RunLists.Listed page = lists.list(NAMESPACE, criteria, wish(100, ""));

    assertThat(page.runs()).hasSize((int) lists.count(NAMESPACE, criteria).count());
    assertThat(page.runs()).allSatisfy(run -> assertThat(run.labels()).containsValue("acme"));
  }

  @Test
  void refusesTokensThatWereForgedOrBelongToAnotherList() {
    List<Criterion> failed = List.of(new Criterion.HasStatus(Set.of(RunStatus.FAILED)));
    String token = lists.list(NAMESPACE, failed, wish(2, "")).nextPageToken();

    assertThat(lists.list(NAMESPACE, failed, wish(2, token)).runs()).hasSize(2);
    assertForeign(() -> lists.list("other", failed, wish(2, token)));
    assertForeign(() -> lists.list(NAMESPACE, List.of(), wish(2, token)));
    assertForeign(() -> lists.list(NAMESPACE, failed, wish(2, "nonsense")));
    assertForeign(() -> lists.list(NAMESPACE, failed, wish(2, "%%%")));
    for (int i = 0; i < token.length(); i++) {
      char other = token.charAt(i) == 'A' ? 'Z' : 'A';
      String forged = token.substring(0, i) + other + token.substring(i + 1);
      assertForeign(() -> lists.list(NAMESPACE, failed, wish(2, forged)));
    }
  }

  @Test
  void deletesAnEndedRunOnceAndALiveOneNever() {
    RunId other =
        kagzi
            .engine()
            .workflows()
            .start(TestEngine.request().externalId("to-delete").build())
            .runId();

    assertThatThrownBy(() -> lists.delete(NAMESPACE, other))
        .isInstanceOfSatisfying(
            EngineException.class,
            refused -> assertThat(refused.code()).isEqualTo(ErrorCode.NOT_TERMINAL));
    kagzi.engine().workflows().cancel(NAMESPACE, other, "test");
    assertThat(lists.delete("other", other)).isFalse();
    assertThat(lists.delete(NAMESPACE, other)).isTrue();
    assertThat(lists.delete(NAMESPACE, other)).isFalse();
  }

  private long count(Criterion criterion) {
    long listed = lists.list(NAMESPACE, List.of(criterion), wish(1000, "")).runs().size();
    RunLists.Count counted = lists.count(NAMESPACE, List.of(criterion));
    assertThat(counted).isEqualTo(new RunLists.Count(listed, false));
    return listed;
  }

  private static void assertForeign(Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            EngineException.class,
            refused -> assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
  }

  private static RunEnding completed() {
    return new RunEnding.Completed(payload("1"));
  }

  private static RunEnding failed() {
    return new RunEnding.Failed(
        new Failure(
            ErrorKind.VALIDATION_ERROR,
            "shop.CardDeclined",
            List.of(),
            "insufficient funds",
            "",
            null),
        "charge");
  }

  private static RunLists.Wish wish(int pageSize, String token) {
    return new RunLists.Wish(pageSize, token, false, run -> 0);
  }
}
