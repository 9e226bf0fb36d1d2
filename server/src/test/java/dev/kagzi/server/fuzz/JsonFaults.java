package dev.kagzi.server.fuzz;

import java.util.List;
import java.util.Random;

/** Changes a body of JSON as text: breaks it, or makes it say something else. */
final class JsonFaults {

  private static final List<String> VALUES =
      List.of(
          "null",
          "true",
          "-1",
          "1e400",
          "-0.0",
          "99999999999999999999999999",
          "0.1",
          "\"\"",
          "\"NaN\"",
          "\"Infinity\"",
          "\"\\u0000\"",
          "\"\\ud800\"",
          "[]",
          "{}",
          "[[]]",
          "{\"a\":{\"a\":1}}",
          "\"1s\"",
          "\"9999999999999s\"",
          "\"2026-13-45T99:99:99Z\"");

  private final Random random;

  JsonFaults(Random random) {
    this.random = random;
  }

  String of(String good) {
    return switch (random.nextInt(8)) {
      case 0 -> good;
      case 1 -> cut(good);
      case 2 -> inserted(good);
      case 3, 4 -> otherValue(good);
      case 5 -> twice(good);
      case 6 -> deep();
      default -> VALUES.get(random.nextInt(VALUES.size()));
    };
  }

  private String cut(String good) {
    int from = random.nextInt(good.length() + 1);
    return good.substring(0, from) + good.substring(Math.min(good.length(), from + 1));
  }

  private String inserted(String good) {
    int at = random.nextInt(good.length() + 1);
    String what = List.of("{", "}", "\"", ",", ":", "\\", "\0", "//", "é").get(random.nextInt(9));
    return good.substring(0, at) + what + good.substring(at);
  }

  /** Puts another value after one of the colons. */
  private String otherValue(String good) {
    int colon = good.indexOf("\":", random.nextInt(good.length() + 1));
    if (colon < 0) {
      return "{\"" + cut("namespace") + "\":" + VALUES.get(random.nextInt(VALUES.size())) + "}";
    }
    int end = colon + 2;
    while (end < good.length() && ",}]".indexOf(good.charAt(end)) < 0) {
      end++;
    }
    return good.substring(0, colon + 2)
        + VALUES.get(random.nextInt(VALUES.size()))
        + good.substring(end);
  }

  private static String twice(String good) {
    String inner = good.strip();
    return inner.length() < 3
        ? "{\"namespace\":\"a\",\"namespace\":\"b\"}"
        : inner.substring(0, inner.length() - 1) + "," + inner.substring(1);
  }

  private String deep() {
    int depth = random.nextInt(10) == 0 ? 50_000 : 300;
    return random.nextBoolean()
        ? "[".repeat(depth) + "]".repeat(depth)
        : "{\"a\":".repeat(depth) + "1" + "}".repeat(depth);
  }
}
