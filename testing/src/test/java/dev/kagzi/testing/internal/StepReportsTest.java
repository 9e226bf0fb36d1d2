package dev.kagzi.testing.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.testing.internal.StepReports.Place;
import org.junit.jupiter.api.Test;

class StepReportsTest {

  private static final Place CHARGE = new Place("run", "charge");

  private final StepReports reports = new StepReports();

  @Test
  void aStepThatIsExecutedUnderALaterLeaseAlthoughItIsSettledIsRepeated() {
    reports.executed(CHARGE, 1);
    reports.settled(CHARGE, 1);

    reports.executed(CHARGE, 2);

    assertThat(reports.repeatedIn("run")).containsExactly("charge");
    assertThat(reports.executions(CHARGE)).isEqualTo(2);
    assertThat(reports.repeatedIn("another run")).isEmpty();
  }

  @Test
  void whatALostWorkerStillReportsWasUnderWayBefore() {
    reports.executed(CHARGE, 2);
    reports.settled(CHARGE, 2);

    reports.executed(CHARGE, 1);

    assertThat(reports.repeatedIn("run")).isEmpty();
  }

  @Test
  void aWorkerIsLostOncePerRunAfterAStep() {
    reports.crashAfter("charge");

    assertThat(reports.settled(CHARGE, 1)).isTrue();
    assertThat(reports.settled(CHARGE, 2)).isFalse();
    assertThat(reports.settled(new Place("another run", "charge"), 1)).isTrue();
    assertThat(reports.settled(new Place("run", "ship"), 1)).isFalse();
  }
}
