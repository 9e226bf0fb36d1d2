package dev.kagzi.cli.command;

import dev.kagzi.cli.client.Server;
import dev.kagzi.cli.shell.CommandFailedException;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** Ids of which somebody typed the end, as tables show it. Stateless. */
public final class Tails {
  private static final Pattern WHOLE =
      Pattern.compile("\\p{XDigit}{8}(-\\p{XDigit}{4}){3}-\\p{XDigit}{12}");

  private Tails() {}

  /** Whether somebody typed a whole id. */
  static boolean isWhole(String typed) {
    return WHOLE.matcher(typed).matches();
  }

  /**
   * The whole id.
   *
   * @param known asked for only if the id is not whole already
   */
  public static String find(
      Server server, String noun, String typed, Supplier<List<String>> known) {
    if (isWhole(typed)) {
      return typed;
    }
    var found = known.get().stream().filter(id -> id.endsWith(typed)).toList();
    return switch (found.size()) {
      case 0 -> {
        server.requireNamespace();
        throw CommandFailedException.notFound(
            "no %s '%s'; kagzi %s list shows them".formatted(noun, typed, noun));
      }
      case 1 -> found.getFirst();
      default ->
          throw CommandFailedException.usage(
              "'%s' is the end of several ids (expected: more digits): %s"
                  .formatted(typed, String.join(", ", found)));
    };
  }
}
