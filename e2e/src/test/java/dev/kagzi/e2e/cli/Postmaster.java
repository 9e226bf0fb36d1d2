package dev.kagzi.e2e.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The PostgreSQL of a project folder, as its own pid file describes it. */
record Postmaster(Leftover process, int port) {
  private static final int PORT_LINE = 3;

  /** The one that runs in {@code .kagzi/pg} of this folder. */
  static Postmaster in(Path folder) throws IOException {
    var lines = Files.readAllLines(folder.resolve(".kagzi/pg/data/postmaster.pid"));
    var pid = Long.parseLong(lines.getFirst().strip());
    return new Postmaster(Leftover.of(pid), Integer.parseInt(lines.get(PORT_LINE).strip()));
  }
}
