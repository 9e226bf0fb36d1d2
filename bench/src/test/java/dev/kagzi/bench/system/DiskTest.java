package dev.kagzi.bench.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class DiskTest {
  private static final int MEGABYTES = 16;

  @Test
  void seesWhatIsWrittenWhenItIsFlushed() throws Exception {
    assumeTrue(ProcessFigures.isKnown());
    Path file = Files.createTempFile(Path.of("target"), "disk", ".test");
    try {
      Files.write(file, new byte[MEGABYTES * 1024 * 1024]);
      double before = Disk.writtenMegabytes();
      Files.write(file, new byte[MEGABYTES * 1024 * 1024]);

      Disk.flush();

      assertThat(Disk.writtenMegabytes() - before).isGreaterThanOrEqualTo(MEGABYTES);
    } finally {
      Files.delete(file);
    }
  }
}
