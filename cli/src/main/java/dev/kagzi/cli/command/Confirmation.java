package dev.kagzi.cli.command;

import dev.kagzi.cli.shell.CommandFailedException;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.cli.shell.StandardInput;
import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.CancellationException;

/** A question that somebody must say yes to. Stateless. */
final class Confirmation {
  private Confirmation() {}

  /** Returns only after a yes; where nobody can be asked there is none. */
  static void ask(Session session, String question) {
    var terminal = session.terminal();
    if (!terminal.in() || !terminal.err()) {
      throw CommandFailedException.usage(
          "%s needs --yes, because nobody can be asked here (no terminal)".formatted(question));
    }
    session.err().print(question + "? [y/N] ");
    session.err().flush();
    if (!isYes(answer(session))) {
      throw new CommandFailedException("not done");
    }
  }

  private static String answer(Session session) {
    try {
      return StandardInput.line(session).strip().toLowerCase(Locale.ROOT);
    } catch (CancellationException told) {
      // The question stands on a line that nobody has ended.
      session.err().println();
      throw told;
    } catch (IOException e) {
      throw new CommandFailedException("the answer cannot be read: " + e.getMessage());
    }
  }

  private static boolean isYes(String answer) {
    return answer.equals("y") || answer.equals("yes");
  }
}
