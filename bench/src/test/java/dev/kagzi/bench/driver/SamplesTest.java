package dev.kagzi.bench.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SamplesTest {

  @Test
  void theMedianOfAnOddNumberIsTheOneInTheMiddle() {
    assertThat(Samples.of(9, 1, 5).median()).isEqualTo(5);
  }

  @Test
  void theMedianOfAnEvenNumberIsTheMeanOfTheTwoInTheMiddle() {
    assertThat(Samples.of(1, 100, 2, 4).median()).isEqualTo(3);
  }

  @Test
  void aPercentileIsOneOfTheValues() {
    var hundred = Samples.of(IntStream.rangeClosed(1, 100).asDoubleStream().toArray());

    assertThat(hundred.percentile(0.5)).isEqualTo(50);
    assertThat(hundred.percentile(0.99)).isEqualTo(99);
    assertThat(hundred.percentile(1)).isEqualTo(100);
    assertThat(Samples.of(7).percentile(0.99)).isEqualTo(7);
  }

  @Test
  void knowsTheSpread() {
    var samples = Samples.of(3, 1, 2);

    assertThat(samples.min()).isEqualTo(1);
    assertThat(samples.max()).isEqualTo(3);
    assertThat(samples.count()).isEqualTo(3);
  }

  @Test
  void refusesWhatMeansNothing() {
    assertThatThrownBy(Samples::of).hasMessageContaining("at least one");
    assertThatThrownBy(() -> Samples.of(1).percentile(0)).hasMessageContaining("share");
  }
}
