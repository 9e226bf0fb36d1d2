package dev.kagzi.e2e.cli;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** A process that should not outlive the command that started it. */
record Leftover(ProcessHandle process) {
  private static final Duration LONGEST_END = Duration.ofSeconds(10);

  static Leftover of(long pid) {
    return new Leftover(ProcessHandle.of(pid).orElseThrow());
  }

  /** In a container nobody may collect the dead; a zombie is dead. */
  boolean isRunning() {
    return process.isAlive() && !stat().contains(") Z ");
  }

  private String stat() {
    try {
      return Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
    } catch (IOException e) {
      return "";
    }
  }

  void awaitEnd() {
    await("end of process " + process.pid()).atMost(LONGEST_END).until(() -> !isRunning());
  }
}
