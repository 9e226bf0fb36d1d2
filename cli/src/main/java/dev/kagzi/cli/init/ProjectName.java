package dev.kagzi.cli.init;

import dev.kagzi.cli.shell.CommandFailedException;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.lang.model.SourceVersion;

/**
 * The name of a new project, which is also that of its folder, its artifact and its queue.
 * Immutable.
 */
record ProjectName(String name) {
  private static final Pattern ALLOWED = Pattern.compile("[a-z][a-z0-9]*(-[a-z0-9]+)*");
  private static final int LONGEST = 60;

  ProjectName {
    if (!ALLOWED.matcher(name).matches() || name.length() > LONGEST) {
      throw CommandFailedException.usage(
          "NAME: '%s' (expected: a lower-case letter, then letters, digits and single hyphens, at most %d in all, such as my-shop)"
              .formatted(name, LONGEST));
    }
  }

  /** {@code MyShop} for {@code my-shop}. */
  String className() {
    return Arrays.stream(name.split("-", -1))
        .map(word -> word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1))
        .collect(Collectors.joining());
  }

  /** {@code myshop} for {@code my-shop}; a word of the language gets something behind it. */
  String packageName() {
    var joined = name.replace("-", "");
    return SourceVersion.isKeyword(joined) ? joined + "app" : joined;
  }
}
