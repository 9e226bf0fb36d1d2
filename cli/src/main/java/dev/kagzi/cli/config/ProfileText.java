package dev.kagzi.cli.config;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The text of a file of profiles, changed line by line, so that comments and order stay as somebody
 * wrote them. Immutable.
 */
record ProfileText(List<String> lines) {
  private static final Pattern SECTION = Pattern.compile("\\s*\\[.*");
  private static final Pattern BARE = Pattern.compile("[A-Za-z0-9_-]+");

  ProfileText {
    lines = List.copyOf(lines);
  }

  static ProfileText of(String text) {
    return new ProfileText(text.lines().toList());
  }

  String text() {
    return lines.isEmpty() ? "" : String.join("\n", lines) + "\n";
  }

  /** The same with another profile in force. */
  ProfileText using(String profile) {
    return with(0, endOfSection(0), "profile", profile);
  }

  /** The same with another value in a profile, which is added if there is none. */
  ProfileText with(String profile, String key, String value) {
    var header = "[profiles." + quotedKey(profile) + "]";
    for (var i = 0; i < lines.size(); i++) {
      if (lines.get(i).replaceFirst("#.*", "").strip().equals(header)) {
        return with(i + 1, endOfSection(i + 1), key, value);
      }
    }
    var longer = new ArrayList<>(lines);
    if (!longer.isEmpty()) {
      longer.add("");
    }
    longer.add(header);
    longer.add(line(key, value));
    return new ProfileText(longer);
  }

  private int endOfSection(int from) {
    var end = from;
    while (end < lines.size() && !SECTION.matcher(lines.get(end)).matches()) {
      end++;
    }
    return end;
  }

  private ProfileText with(int from, int until, String key, String value) {
    var changed = new ArrayList<>(lines);
    var own = Pattern.compile("\\s*" + Pattern.quote(key) + "\\s*=.*");
    for (var i = from; i < until; i++) {
      if (own.matcher(lines.get(i)).matches()) {
        changed.set(i, line(key, value));
        return new ProfileText(changed);
      }
    }
    changed.add(from, line(key, value));
    return new ProfileText(changed);
  }

  private static String line(String key, String value) {
    return key + " = " + quoted(value);
  }

  private static String quotedKey(String key) {
    return BARE.matcher(key).matches() ? key : quoted(key);
  }

  private static String quoted(String value) {
    return '"' + value.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
