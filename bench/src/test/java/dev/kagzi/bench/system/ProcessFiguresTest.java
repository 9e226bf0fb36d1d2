package dev.kagzi.bench.system;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class ProcessFiguresTest {
  private static final double BUSY_MILLIS = 100;

  @Test
  void countsTheProcessorTimeOfAProcess() {
    long own = ProcessHandle.current().pid();
    double before = ProcessFigures.cpuMillis(own);

    while (ProcessFigures.cpuMillis(own) < before + BUSY_MILLIS) {
      Thread.onSpinWait();
    }

    assertThat(ProcessFigures.cpuMillisWithChildren(own))
        .isGreaterThanOrEqualTo(before + BUSY_MILLIS);
  }

  @Test
  void countsWhatEndedChildrenHaveUsed() throws Exception {
    long own = ProcessHandle.current().pid();
    double ownBefore = ProcessFigures.cpuMillis(own);
    double before = ProcessFigures.cpuMillisWithChildren(own);

    var child =
        new ProcessBuilder("sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done").start();
    assertThat(child.waitFor()).isZero();

    double byOthers =
        ProcessFigures.cpuMillisWithChildren(own)
            - before
            - (ProcessFigures.cpuMillis(own) - ownBefore);
    assertThat(byOthers).isPositive();
  }

  @Test
  void knowsTheMemoryOfAProcessAndNothingOfOneThatIsGone() throws Exception {
    var child = new ProcessBuilder("true").start();
    child.waitFor();

    assertThat(ProcessFigures.residentMegabytes(ProcessHandle.current().pid()).orElse(0))
        .isGreaterThan(10);
    assertThat(ProcessFigures.residentMegabytes(child.pid())).isEmpty();
    assertThat(ProcessFigures.cpuMillis(child.pid())).isZero();
  }
}
