package dev.kagzi.bench.system;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LiveHeapTest {

  @Test
  void addsUpTheGenerationsOfAHeap() {
    assertThat(
            LiveHeap.megabytes(
                """
                PSYoungGen      total 113152K, used 1024K [0x0000000782700000, 0x00000007)
                 eden space 97280K, 54% used [0x0000000782700000,0x0000000785a72400,0x00000007)
                ParOldGen       total 258048K, used 13312K [0x0000000687400000, 0x000000069)
                 object space 258048K, 5% used [0x0000000687400000,0x000000068812b080,0x00000)
                """))
        .hasValue(14);
  }

  @Test
  void leavesOutWhatIsNoHeap() {
    assertThat(
            LiveHeap.megabytes(
                """
                garbage-first heap   total 397312K, used 2048K [0x0000000687400000, 0x00000008)
                 region size 4096K, 12 young (49152K), 2 survivors (8192K)
                Metaspace       used 43008K, committed 43712K, reserved 1114112K
                """))
        .hasValue(2);
    assertThat(LiveHeap.megabytes("12345: no such process")).isEmpty();
  }
}
