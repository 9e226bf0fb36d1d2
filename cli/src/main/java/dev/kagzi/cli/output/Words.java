package dev.kagzi.cli.output;

import dev.kagzi.cli.shell.CommandFailedException;
import dev.kagzi.server.config.Suggestion;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Words of the contract without the prefix that they have on the wire. Stateless. */
public final class Words {
  private Words() {}

  /** {@code RUNNING} for {@code WORKFLOW_STATUS_RUNNING}. */
  public static String of(Enum<?> wire) {
    var prefix = prefix(wire.getDeclaringClass());
    return wire.name().startsWith(prefix) ? wire.name().substring(prefix.length()) : wire.name();
  }

  /** {@code running} for {@code WORKFLOW_STATUS_RUNNING}, {@code child workflow} likewise. */
  public static String lower(Enum<?> wire) {
    return of(wire).toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  /** {@code 1 run}, {@code 2 runs}, {@code 0 batches}. */
  public static String count(long number, String noun) {
    return number + " " + (number == 1 ? noun : plural(noun));
  }

  /** {@code runs}, {@code batches}. */
  public static String plural(String noun) {
    return noun.endsWith("ch") || noun.endsWith("ss") ? noun + "es" : noun + "s";
  }

  /**
   * Reads a word that somebody typed.
   *
   * @param flag where it was typed
   */
  public static <E extends Enum<E>> E read(Class<E> type, String flag, String typed) {
    return read(known(type), flag, typed);
  }

  /**
   * Reads one of these words.
   *
   * @param flag where it was typed
   */
  public static <E extends Enum<E>> E read(List<E> known, String flag, String typed) {
    return find(known, typed)
        .orElseThrow(() -> {
          var words = known.stream().map(Words::of).toList();
          return CommandFailedException.usage(
              "%s: unknown word '%s'%s (expected: %s)"
                  .formatted(flag, typed, suggestion(wireWord(typed), words), flags(words)));
        });
  }

  /** The one of these that somebody typed. */
  public static <E extends Enum<E>> Optional<E> find(List<E> known, String typed) {
    return known.stream().filter(wire -> of(wire).equals(wireWord(typed))).findFirst();
  }

  private static String wireWord(String typed) {
    return typed.toUpperCase(Locale.ROOT).replace('-', '_');
  }

  private static String suggestion(String word, List<String> known) {
    return Suggestion.nearest(word, known)
        .map(near -> ", did you mean '" + flags(List.of(near)) + "'?")
        .orElse("");
  }

  /** All that mean something. */
  public static <E extends Enum<E>> List<E> known(Class<E> type) {
    return Arrays.stream(type.getEnumConstants())
        .filter(wire -> !of(wire).equals("UNSPECIFIED") && !of(wire).equals("UNRECOGNIZED"))
        .toList();
  }

  private static String flags(List<String> words) {
    return String.join(", ", words).toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static String prefix(Class<?> type) {
    return type.getSimpleName().replaceAll("(?<=[a-z])(?=[A-Z])", "_").toUpperCase(Locale.ROOT)
        + "_";
  }
}
