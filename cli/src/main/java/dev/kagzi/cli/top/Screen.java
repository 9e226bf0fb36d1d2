package dev.kagzi.cli.top;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.kagzi.cli.shell.Session;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * How much fits where the person looks. What is longer would make the screen roll, and its first
 * lines would be gone. Immutable.
 */
record Screen(int rows, int columns) {
  private static final Screen ENDLESS = new Screen(Integer.MAX_VALUE, Integer.MAX_VALUE);
  private static final Pattern SIZE = Pattern.compile("(\\d{1,5}) (\\d{1,5})");
  private static final char ESCAPE = '\u001b';
  private static final String PLAIN = "\u001b[0m";

  /** As large as it is now; it may be another size the next time. */
  static Screen of(Session session) {
    return parsed(sttySize())
        .or(() ->
            parsed(
                session.variable("LINES").orElse("")
                    + " "
                    + session.variable("COLUMNS").orElse("")))
        .orElse(ENDLESS);
  }

  private static Optional<Screen> parsed(String text) {
    var size = SIZE.matcher(text.strip());
    // A terminal that does not know its size says 0.
    return size.matches() && !size.group(1).equals("0") && !size.group(2).equals("0")
        ? Optional.of(new Screen(Integer.parseInt(size.group(1)), Integer.parseInt(size.group(2))))
        : Optional.empty();
  }

  /** Empty where this process has no terminal. */
  private static String sttySize() {
    try {
      var stty =
          new ProcessBuilder("stty", "size")
              .redirectInput(Redirect.INHERIT)
              .redirectError(Redirect.DISCARD)
              .start();
      return new String(stty.getInputStream().readAllBytes(), US_ASCII);
    } catch (IOException e) {
      return "";
    }
  }

  /** As much of the text as fits above a number of lines that are needed for something else. */
  String fit(String text, int reserved) {
    return text.lines()
        .limit(Math.max(1, rows - (long) reserved))
        .map(this::cut)
        .collect(Collectors.joining("\n"));
  }

  /** A line without its end, if it is too long. Colours take no room. */
  private String cut(String line) {
    var width = 0;
    for (var at = 0; at < line.length(); at++) {
      if (line.charAt(at) == ESCAPE) {
        at = line.indexOf('m', at);
      } else if (++width > columns) {
        var kept = line.substring(0, at - 1) + "…";
        return line.indexOf(ESCAPE) < 0 ? kept : kept + PLAIN;
      }
    }
    return line;
  }
}
