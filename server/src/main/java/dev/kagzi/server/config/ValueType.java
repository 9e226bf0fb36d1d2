package dev.kagzi.server.config;

import dev.kagzi.core.RetryPolicy;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * How one kind of value is read from text, checked, shown, and described to somebody who got it
 * wrong.
 *
 * @param expected what is acceptable, in words
 * @param parser reads the text; a message of its exception replaces {@code expected}
 * @param accepted whether a value, read or given by a program, is acceptable
 * @param renderer writes the value so that it is safe to show
 * @param mask makes a text safe to show that may not even be a value
 * @param bare whether TOML writes it without quotes
 */
record ValueType<T>(
    String expected,
    Function<String, T> parser,
    Predicate<T> accepted,
    Function<T, String> renderer,
    UnaryOperator<String> mask,
    boolean bare) {
  private static final int MILLIS_DIGITS = 3;
  private static final String SECRET = "***";

  /**
   * Reads and checks a value.
   *
   * @throws IllegalArgumentException whose message says what was expected
   */
  T parse(String text) {
    T value;
    try {
      value = parser.apply(text);
    } catch (NumberFormatException | ArithmeticException notThisNumber) {
      throw new IllegalArgumentException(expected, notThisNumber);
    }
    if (!accepted.test(value)) {
      throw new IllegalArgumentException(expected);
    }
    return value;
  }

  /** The value as TOML, safe to show. */
  String toml(T value) {
    var text = renderer.apply(value);
    return bare ? text : "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
  }

  static ValueType<Integer> integer(int min, int max) {
    return open(
        "a whole number from %d to %d".formatted(min, max),
        Integer::valueOf,
        value -> value >= min && value <= max,
        String::valueOf,
        true);
  }

  /** How often something is tried; zero would be never. */
  static ValueType<Integer> attempts() {
    return open(
        "a whole number from 1 on, or %d for no limit".formatted(RetryPolicy.UNLIMITED),
        Integer::valueOf,
        value -> value >= 1 || value == RetryPolicy.UNLIMITED,
        String::valueOf,
        true);
  }

  static ValueType<Double> number(int min, int max) {
    return open(
        "a number from %d to %d".formatted(min, max),
        Double::valueOf,
        value -> value >= min && value <= max,
        String::valueOf,
        true);
  }

  static ValueType<Duration> seconds(String min, String max) {
    return duration("seconds", MILLIS_DIGITS, min, max);
  }

  static ValueType<Duration> millis(String min, String max) {
    return duration("milliseconds", 0, min, max);
  }

  private static ValueType<Duration> duration(String unit, int power, String min, String max) {
    Function<String, Duration> parser =
        text -> Duration.ofMillis(new BigDecimal(text).scaleByPowerOfTen(power).longValueExact());
    var least = parser.apply(min);
    var most = parser.apply(max);
    return open(
        "%s from %s to %s".formatted(unit, min, max),
        parser,
        value -> value.compareTo(least) >= 0 && value.compareTo(most) <= 0,
        value -> BigDecimal.valueOf(value.toMillis(), power).stripTrailingZeros().toPlainString(),
        true);
  }

  static <E extends Enum<E>> ValueType<E> choice(Class<E> type) {
    Function<E, String> name = choice -> choice.name().toLowerCase(Locale.ROOT);
    var choices = Arrays.asList(type.getEnumConstants());
    var expected = choices.stream().map(name).collect(Collectors.joining(", "));
    Function<String, E> parser =
        text ->
            choices.stream()
                .filter(choice -> choice.name().equalsIgnoreCase(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(expected));
    return open(expected, parser, choice -> true, name, false);
  }

  static ValueType<String> text(String expected, Predicate<String> accepted) {
    return open(expected, Function.identity(), accepted, Function.identity(), false);
  }

  /** A text that is never shown, and in which every blank counts. */
  static ValueType<String> secret() {
    return new ValueType<>(
        "a text", Function.identity(), text -> true, text -> SECRET, text -> SECRET, false);
  }

  static ValueType<DatabaseUrl> databaseUrl() {
    return new ValueType<>(
        DatabaseUrl.EXPECTED,
        text -> DatabaseUrl.parse(text.strip()),
        url -> true,
        DatabaseUrl::toString,
        DatabaseUrl::mask,
        false);
  }

  /** A type without secrets, around whose texts blanks do not matter. */
  private static <T> ValueType<T> open(
      String expected,
      Function<String, T> parser,
      Predicate<T> accepted,
      Function<T, String> renderer,
      boolean bare) {
    Function<String, T> stripping = text -> parser.apply(text.strip());
    return new ValueType<>(expected, stripping, accepted, renderer, UnaryOperator.identity(), bare);
  }
}
