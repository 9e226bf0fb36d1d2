package dev.kagzi.cli.command;

import dev.kagzi.cli.output.Words;
import dev.kagzi.cli.shell.CommandFailedException;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.cli.shell.StandardInput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Ids from the command line, and from the standard input where it says {@code -}. Stateless. */
public final class Ids {
  /** Stands for the standard input. */
  public static final String STANDARD_INPUT = "-";

  private Ids() {}

  public static List<String> read(Session session, List<String> arguments) {
    var ids = new ArrayList<String>();
    for (var argument : arguments) {
      if (argument.equals(STANDARD_INPUT)) {
        ids.addAll(lines(session));
      } else {
        ids.add(argument);
      }
    }
    return ids.stream().distinct().toList();
  }

  /** The one id that an argument means. */
  public static String one(Session session, String argument) {
    var ids = read(session, List.of(argument));
    if (ids.size() != 1) {
      throw CommandFailedException.usage(
          "%s has %s (expected: 1, because the command is about one run)"
              .formatted(argument, Words.count(ids.size(), "id")));
    }
    return ids.getFirst();
  }

  private static List<String> lines(Session session) {
    try {
      return StandardInput.text(session)
          .lines()
          .map(String::strip)
          .filter(line -> !line.isEmpty())
          .toList();
    } catch (IOException e) {
      throw new CommandFailedException("ids cannot be read from - : " + e.getMessage());
    }
  }
}
