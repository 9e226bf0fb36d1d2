package dev.kagzi.bench.system;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** What this machine writes to its disks. Stateless. */
public final class Disk {
  private static final Path STATISTICS = Path.of("/proc/vmstat");
  private static final String WRITTEN = "pgpgout ";
  private static final double KILOBYTES_PER_MEGABYTE = 1024;
  private static final int FLUSH_SECONDS = 60;

  private Disk() {}

  /** Everything that anybody has written so far, in megabytes; 0 where nobody knows. */
  public static double writtenMegabytes() {
    try (var lines = Files.lines(STATISTICS)) {
      return lines
          .filter(line -> line.startsWith(WRITTEN))
          .mapToDouble(line -> Double.parseDouble(line.substring(WRITTEN.length())))
          .map(kilobytes -> kilobytes / KILOBYTES_PER_MEGABYTE)
          .findFirst()
          .orElse(0);
    } catch (IOException unknown) {
      return 0;
    }
  }

  /** Has the machine write what it only remembers; files that nobody has flushed among them. */
  public static void flush() throws InterruptedException {
    try {
      var sync = new ProcessBuilder("sync").start();
      if (!sync.waitFor(FLUSH_SECONDS, TimeUnit.SECONDS)) {
        sync.destroy();
      }
    } catch (IOException none) {
      // A machine without this command writes when it likes; the wait that follows sees it.
    }
  }
}
