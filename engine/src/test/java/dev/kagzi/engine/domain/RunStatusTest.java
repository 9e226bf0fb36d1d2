package dev.kagzi.engine.domain;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RunStatusTest {

  @ParameterizedTest
  @EnumSource(RunStatus.class)
  void leavesATerminalStateOnlyByAPersonsRetry(RunStatus status) {
    if (status.isTerminal()) {
      assertThat(status.next()).isSubsetOf(RunStatus.PENDING);
    } else {
      assertThat(status.next()).isNotEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(RunStatus.class)
  void neverTurnsARunIntoATemplateOrBack(RunStatus status) {
    assertThat(status.next())
        .allSatisfy(next -> assertThat(next.isTemplate()).isEqualTo(status.isTemplate()));
  }

  @Test
  void claimsASleepingRunDirectly() {
    assertThat(RunStatus.SLEEPING.next()).contains(RunStatus.RUNNING);
  }
}
