package dev.kagzi.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.cli.demo.Signal.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SignalTest {

  @ParameterizedTest
  @EnumSource(Kind.class)
  void readsWhatItWrites(Kind kind) {
    var withStep = new Signal(kind, "charge-card");
    var without = Signal.of(kind);

    assertThat(Signal.parse(withStep.line())).hasValue(withStep);
    assertThat(Signal.parse(without.line())).hasValue(without);
  }

  @Test
  void passesOverEverythingElse() {
    assertThat(Signal.parse("Hello, Ada")).isEmpty();
    assertThat(Signal.parse("demo-signal nonsense")).isEmpty();
    assertThat(Signal.parse("")).isEmpty();
  }
}
