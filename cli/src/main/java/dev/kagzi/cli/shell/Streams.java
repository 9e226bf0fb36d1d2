package dev.kagzi.cli.shell;

import java.io.InputStream;
import java.io.PrintStream;

/**
 * Where a command reads and writes.
 *
 * @param terminal which of them a person sits at
 */
public record Streams(InputStream in, PrintStream out, PrintStream err, Terminal terminal) {

  static Streams ofThisProcess() {
    return new Streams(System.in, System.out, System.err, Terminal.ofThisProcess());
  }
}
