package dev.kagzi.core;

import java.util.Optional;

/** What every name in Kagzi (type, queue, namespace, step, external id) must satisfy. */
public final class Names {

  /** The longest name, in characters. */
  public static final int MAX_LENGTH = 255;

  private Names() {}

  /** What is wrong with a name, in words, or nothing. */
  public static Optional<String> fault(String name) {
    if (name.isBlank()) {
      return Optional.of("is empty");
    }
    if (name.length() > MAX_LENGTH) {
      return Optional.of(
          "has %d characters (expected: at most %d)".formatted(name.length(), MAX_LENGTH));
    }
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (Character.isISOControl(c)) {
        return Optional.of("contains a control character at position " + i);
      }
      if (Character.isSurrogate(c) && !startsPair(name, i) && !endsPair(name, i)) {
        return Optional.of("is not valid Unicode at position " + i);
      }
    }
    return Optional.empty();
  }

  /**
   * Returns the name unchanged if it is acceptable.
   *
   * @throws IllegalArgumentException naming what the name is for and what is wrong with it
   */
  public static String check(String what, String name) {
    fault(name)
        .ifPresent(fault -> {
          throw new IllegalArgumentException(what + " " + fault);
        });
    return name;
  }

  private static boolean startsPair(String text, int i) {
    return i + 1 < text.length() && Character.isSurrogatePair(text.charAt(i), text.charAt(i + 1));
  }

  private static boolean endsPair(String text, int i) {
    return i > 0 && Character.isSurrogatePair(text.charAt(i - 1), text.charAt(i));
  }
}
