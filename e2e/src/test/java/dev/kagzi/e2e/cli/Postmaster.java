package dev.kagzi.e2e.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** A PostgreSQL that a command started in a folder, seen from outside. */
record Postmaster(long pid, int port) {
  private static final Duration LONGEST_END = Duration.ofSeconds(10);
  private static final int PORT_LINE = 3;

  /** The one that runs in {@code .kagzi/pg} of this folder. */
  static Postmaster in(Path folder) throws IOException {
    var lines = Files.readAllLines(folder.resolve(".kagzi/pg/data/postmaster.pid"));
    var postmaster =
        new Postmaster(
            Long.parseLong(lines.getFirst().strip()),
            Integer.parseInt(lines.get(PORT_LINE).strip()));
    assertThat(postmaster.isRunning()).isTrue();
    return postmaster;
  }

  /** In a container nobody may collect the dead; a zombie is dead. */
  boolean isRunning() {
    var alive = ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    return alive && !stat().contains(") Z ");
  }

  private String stat() {
    try {
      return Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
    } catch (IOException e) {
      return "";
    }
  }

  void awaitEnd() {
    await("PostgreSQL, process " + pid).atMost(LONGEST_END).until(() -> !isRunning());
  }
}
