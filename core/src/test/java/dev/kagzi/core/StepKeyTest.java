package dev.kagzi.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StepKeyTest {

  @Test
  void isTheNameTheKeyAndTheNumberOfTheUse() {
    assertThat(StepKey.of("charge").value()).isEqualTo("charge");
    assertThat(StepKey.of("label", "A").value()).isEqualTo("label[A]");
    assertThat(StepKey.of("charge").occurrence(1).value()).isEqualTo("charge");
    assertThat(StepKey.of("label", "A").occurrence(3).value()).isEqualTo("label[A]#3");
  }

  @Test
  void knowsTheBareName() {
    assertThat(StepKey.of("label", "A").occurrence(3).name()).isEqualTo("label");
    assertThat(StepKey.of("charge").occurrence(2).name()).isEqualTo("charge");
    assertThat(StepKey.of("charge").name()).isEqualTo("charge");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a#1", "a[b", "a]b", "", " ", "nul\0", "\uD800"})
  void refusesNamesThatCouldBeMistakenOrStoredWrongly(String name) {
    assertThatThrownBy(() -> StepKey.of(name)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void refusesNamesLongerThanTheLimit() {
    assertThat(StepKey.of("x".repeat(Names.MAX_LENGTH)).value()).hasSize(Names.MAX_LENGTH);
    assertThatThrownBy(() -> StepKey.of("x".repeat(Names.MAX_LENGTH + 1)))
        .hasMessageContaining("256 characters");
  }
}
