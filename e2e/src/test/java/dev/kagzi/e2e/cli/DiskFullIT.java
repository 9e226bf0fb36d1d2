package dev.kagzi.e2e.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kagzi.e2e.Lanes;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

@ResourceLock(Lanes.COMMAND)
class DiskFullIT {
  @TempDir Path small;
  private boolean mounted;

  @Test
  void saysThatTheDiskIsFull() throws Exception {
    mounted = run("mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", small.toString());
    assumeTrue(mounted, "mounting a small disk takes root and a permission to mount");

    try (var dev = Command.kagzi(small, "dev", "--port=0", "--http-port=0")) {
      assertThat(dev.exitCode()).isEqualTo(1);
      assertThat(dev.out()).isEmpty();
      assertThat(dev.err()).hasLineCount(1).contains("The disk of " + small, "is full");
    }
  }

  @AfterEach
  void unmount() throws Exception {
    if (mounted) {
      assertThat(run("umount", small.toString())).isTrue();
    }
  }

  private static boolean run(String... command) throws Exception {
    return new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start()
            .waitFor()
        == 0;
  }
}
