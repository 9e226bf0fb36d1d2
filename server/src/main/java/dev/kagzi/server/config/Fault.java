package dev.kagzi.server.config;

import java.util.regex.Pattern;

/**
 * One thing wrong with the configuration: the name somebody wrote, and what is wrong with it.
 * Secrets are masked before a fault is made.
 */
public record Fault(String subject, String problem) {
  private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}+");

  /** A fault is one line, whatever characters somebody put into a value. */
  public Fault {
    subject = CONTROL.matcher(subject).replaceAll(" ");
    problem = CONTROL.matcher(problem).replaceAll(" ");
  }

  static Fault wrongValue(String key, String shown, Origin origin, String expected) {
    return new Fault(key, "%s from %s (expected: %s)".formatted(shown, origin, expected));
  }

  static Fault unknown(String subject, String kind, Iterable<String> known) {
    var hint =
        Suggestion.nearest(subject, known)
            .map(near -> "did you mean " + near + "?")
            .orElse("docs/configuration.md lists all keys");
    return new Fault(subject, "unknown %s (%s)".formatted(kind, hint));
  }

  @Override
  public String toString() {
    return subject + ": " + problem;
  }
}
