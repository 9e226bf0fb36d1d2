package dev.kagzi.bench.report;

import java.io.PrintStream;

/** Tells the person who waits what happens: on a terminal in one line, else line by line. */
public final class Progress {
  private static final String CLEAR = "\r\033[K";

  private final PrintStream out;
  private final boolean terminal;

  public Progress(PrintStream out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  /** What happens now; on a terminal it replaces what happened before. */
  public void now(String what) {
    if (terminal) {
      out.print(CLEAR + "  " + what);
      out.flush();
    } else {
      out.println("  " + what);
    }
  }

  /** Something that is worth to stay on the screen. */
  public void note(String what) {
    clear();
    out.println("  " + what);
  }

  /** What a workload has brought, for whoever does not wait for the last one. */
  public void measured(Figures figures, String workload) {
    clear();
    Printer.table(figures, workload, out);
  }

  /** Takes away what was written over. */
  public void clear() {
    if (terminal) {
      out.print(CLEAR);
      out.flush();
    }
  }
}
