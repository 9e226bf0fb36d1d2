package dev.kagzi.core;

/**
 * The durable name of a step inside a run: {@code charge}, {@code print-label[A]} when the author
 * gave a key, {@code charge#2} for the second use of the same key. Results are found by this key
 * and never by position, so code may gain steps anywhere without disturbing recorded ones.
 */
public record StepKey(String value) {

  /** Name, key, brackets and number together stay within this; it is also the column's limit. */
  public static final int MAX_LENGTH = 600;

  public StepKey {
    if (value.isEmpty() || value.length() > MAX_LENGTH) {
      throw new IllegalArgumentException(
          "step key: length %d (expected: 1 to %d)".formatted(value.length(), MAX_LENGTH));
    }
  }

  /** The key of the first use of a name. */
  public static StepKey of(String name) {
    return new StepKey(checked("step name", name));
  }

  /** The key of the first use of a name with the author's own key. */
  public static StepKey of(String name, String key) {
    return new StepKey(checked("step name", name) + "[" + checked("step key", key) + "]");
  }

  /** The n-th use of this key in a run, counted from 1 in call order. */
  public StepKey occurrence(int n) {
    return n == 1 ? this : new StepKey(value + "#" + n);
  }

  /** The name without key and number: what metrics may be labelled with. */
  public String name() {
    int cut = value.indexOf('[');
    if (cut < 0) {
      cut = value.indexOf('#');
    }
    return cut < 0 ? value : value.substring(0, cut);
  }

  private static String checked(String what, String text) {
    Names.check(what, text);
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '#' || c == '[' || c == ']') {
        throw new IllegalArgumentException(
            "%s: '%s' contains '%c' (reserved for keys and numbering; use another character)"
                .formatted(what, text, c));
      }
    }
    return text;
  }

  @Override
  public String toString() {
    return value;
  }
}
