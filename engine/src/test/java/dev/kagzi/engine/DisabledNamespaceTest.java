package dev.kagzi.engine;

import static dev.kagzi.engine.TestEngine.TYPE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.EventMessage;
import dev.kagzi.engine.domain.EventOutcome;
import dev.kagzi.engine.domain.Namespace;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.StartRequest;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Two servers: what one is told, the other must follow without being told. */
class DisabledNamespaceTest {

  private static final String NAME = "tenant";

  /** A second of belief, and what a busy machine adds. */
  private static final Duration PROMISED = Duration.ofSeconds(2);

  @Test
  void takesNoStartsAtAnotherServerEitherAfterASecond() {
    String url = TestEngine.migratedUrl();
    try (HikariDataSource onePool = TestEngine.open(url);
        HikariDataSource otherPool = TestEngine.open(url)) {
      try (TestEngine one = TestEngine.on(onePool);
          TestEngine other = TestEngine.on(otherPool)) {
        one.engine().namespaces().create(NAME, new Namespace.Settings("", null, Map.of()));
        start(other);

        one.engine().namespaces().disable(NAME, "test");
        long disabled = System.nanoTime();

        assertThat(catchThrowable(() -> start(one))).isInstanceOf(EngineException.class);
        await()
            .pollInterval(Duration.ofMillis(20))
            .atMost(PROMISED)
            .until(() -> catchThrowable(() -> start(other)) instanceof EngineException);
        System.out.println(
            "namespace.disabled_elsewhere_after_ms "
                + Duration.ofNanos(System.nanoTime() - disabled).toMillis());
        one.engine().namespaces().enable(NAME, "test");
        await()
            .pollInterval(Duration.ofMillis(20))
            .atMost(PROMISED)
            .until(() -> catchThrowable(() -> start(other)) == null);
      }
    }
  }

  @Test
  void letsItsRunsHearWhatTheyWaitFor() {
    try (TestEngine kagzi = TestEngine.start()) {
      kagzi.engine().namespaces().create(NAME, new Namespace.Settings("", null, Map.of()));
      RunId runId = start(kagzi);
      kagzi.engine().namespaces().disable(NAME, "test");

      EventMessage event = new EventMessage("paid", TestEngine.payload("1"), "once");
      assertThat(kagzi.engine().messages().send(NAME, runId, event).outcome())
          .isEqualTo(EventOutcome.DELIVERED);
      assertThat(catchThrowable(() -> start(kagzi)))
          .isInstanceOfSatisfying(
              EngineException.class,
              refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.NAMESPACE_DISABLED));
      assertThat(catchThrowable(() -> kagzi.engine().messages().send("nowhere", runId, event)))
          .isInstanceOfSatisfying(
              EngineException.class,
              refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.NAMESPACE_NOT_FOUND));
    }
  }

  private static RunId start(TestEngine kagzi) {
    return kagzi
        .engine()
        .workflows()
        .start(StartRequest.of(NAME, TYPE.workflowType()).build())
        .runId();
  }
}
