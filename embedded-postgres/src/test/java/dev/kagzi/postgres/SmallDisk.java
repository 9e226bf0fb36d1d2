package dev.kagzi.postgres;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A disk of a few megabytes, where the machine lets us mount one; the test is skipped elsewhere.
 */
record SmallDisk(Path folder) implements AutoCloseable {

  static SmallDisk mount(Path folder, int megabytes) {
    var size = "size=" + megabytes + "m";
    assumeTrue(
        succeeds("mount", "-t", "tmpfs", "-o", size, "tmpfs", folder.toString()),
        "only root can mount a small disk");
    return new SmallDisk(folder);
  }

  @Override
  public void close() {
    succeeds("umount", "--lazy", folder.toString());
  }

  private static boolean succeeds(String... command) {
    try {
      var process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return process.onExit().join().exitValue() == 0;
    } catch (IOException e) {
      return false;
    }
  }
}
