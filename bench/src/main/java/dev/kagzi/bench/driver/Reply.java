package dev.kagzi.bench.driver;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * One line that a driver prints for the process that started it, such as {@code bench ok
 * started=100 seconds=1.5}. Lines without the first word are somebody else's. Immutable.
 *
 * @param ok whether the command was carried out
 * @param figures what was measured, in the order it was put in
 * @param message why the command was not carried out; else empty
 */
public record Reply(boolean ok, Map<String, Double> figures, String message) {
  private static final String MARK = "bench ";
  private static final String OK = "ok";
  private static final String FAILED = "failed ";

  /** The command was carried out and this is what was measured. */
  public static Reply measured(Map<String, Double> figures) {
    return new Reply(true, figures, "");
  }

  /** The command could not be carried out. */
  public static Reply failed(String message) {
    return new Reply(false, Map.of(), message.lines().findFirst().orElse(""));
  }

  /** The line to print. */
  public String line() {
    return ok
        ? figures.entrySet().stream()
            .map(figure -> " " + figure.getKey() + "=" + figure.getValue())
            .collect(Collectors.joining("", MARK + OK, ""))
        : MARK + FAILED + message;
  }

  /** What a line says, if it is a reply at all. */
  public static Optional<Reply> parse(String line) {
    if (!line.startsWith(MARK)) {
      return Optional.empty();
    }
    var rest = line.substring(MARK.length());
    if (rest.startsWith(FAILED)) {
      return Optional.of(failed(rest.substring(FAILED.length())));
    }
    var words = rest.split(" ", -1);
    if (!words[0].equals(OK)) {
      return Optional.empty();
    }
    var figures = new LinkedHashMap<String, Double>();
    for (int i = 1; i < words.length; i++) {
      int equals = words[i].indexOf('=');
      figures.put(words[i].substring(0, equals), Double.valueOf(words[i].substring(equals + 1)));
    }
    return Optional.of(measured(figures));
  }

  /** A figure that must be there. */
  public double figure(String name) {
    var value = figures.get(name);
    if (value == null) {
      throw new IllegalStateException("no figure '" + name + "' in " + figures);
    }
    return value;
  }
}
