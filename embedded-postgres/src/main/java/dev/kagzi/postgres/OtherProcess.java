package dev.kagzi.postgres;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process to be signalled, or to be waited for although it is not our child. */
record OtherProcess(ProcessHandle handle) {
  private static final long POLL_MILLIS = 5;

  /** Whether all ended within the limit; an interrupt ends the waiting early. */
  static boolean awaitEnd(List<OtherProcess> processes, int seconds) {
    var deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (processes.stream().anyMatch(OtherProcess::isRunning)) {
      if (System.nanoTime() > deadline || Thread.currentThread().isInterrupted()) {
        return false;
      }
      pause();
    }
    return true;
  }

  /** In a container nobody may collect the dead; a zombie does no harm any more. */
  boolean isRunning() {
    return handle.isAlive() && !isZombie();
  }

  /**
   * The shell's kill, because the JDK knows only SIGTERM, for which PostgreSQL waits until all
   * clients leave, and not every image has /bin/kill. Windows has no signals.
   */
  void signal(String name) throws IOException {
    var kill = new ProcessBuilder("sh", "-c", "kill -" + name + " " + handle.pid());
    kill.redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD);
    kill.start().onExit().join();
  }

  private boolean isZombie() {
    try {
      return Files.readString(Path.of("/proc", Long.toString(handle.pid()), "stat"))
          .contains(") Z ");
    } catch (IOException e) {
      return false;
    }
  }

  private static void pause() {
    try {
      Thread.sleep(POLL_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
