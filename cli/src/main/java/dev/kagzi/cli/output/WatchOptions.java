package dev.kagzi.cli.output;

import dev.kagzi.cli.shell.CommandFailedException;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.core.Durations;
import java.time.Duration;
import java.util.function.Predicate;
import java.util.function.Supplier;
import picocli.CommandLine.Option;

/** {@code -w}: print an answer again and again, whenever it has changed. */
public final class WatchOptions {
  private static final String CLEAR_SCREEN = "\u001b[H\u001b[2J\u001b[3J";
  private static final Duration SHORTEST = Duration.ofMillis(100);

  @Option(
      names = {"-w", "--watch"},
      description = "Goes on looking and prints what has changed, until Ctrl-C.")
  private boolean watch;

  @Option(
      names = "--every",
      paramLabel = "TIME",
      description = "How often to look, such as 500ms. Default: 2s.")
  private String every = "2s";

  /** Prints an answer once, or until the person has seen enough. */
  public void print(Session session, Printer printer, Supplier<Answer> ask) {
    print(session, printer, ask, answer -> false);
  }

  /** Prints an answer once, or until it is the last one. */
  public void print(
      Session session, Printer printer, Supplier<Answer> ask, Predicate<Answer> isLast) {
    if (watch) {
      follow(session, printer, ask, isLast, pause());
    } else {
      printer.print(ask.get());
    }
  }

  /** Prints an answer whenever it has changed, until it is the last one or Ctrl-C. */
  public static void follow(
      Session session,
      Printer printer,
      Supplier<Answer> ask,
      Predicate<Answer> isLast,
      Duration pause) {
    var before = "";
    while (true) {
      var answer = ask.get();
      var now = printer.shown(answer);
      if (!now.equals(before)) {
        session.out().print((session.terminal().out() ? CLEAR_SCREEN : separator(before)) + now);
        session.out().flush();
      }
      before = now;
      // Nobody reads any more, as behind "| head".
      if (session.out().checkError()
          || isLast.test(answer)
          || session.lifetime().awaitEnding(pause.toMillis())) {
        return;
      }
    }
  }

  private Duration pause() {
    try {
      var pause = Durations.parse(every);
      return pause.compareTo(SHORTEST) < 0 ? SHORTEST : pause;
    } catch (IllegalArgumentException e) {
      throw CommandFailedException.usage("--every: " + e.getMessage());
    }
  }

  private static String separator(String before) {
    return before.isEmpty() ? "" : "\n";
  }
}
