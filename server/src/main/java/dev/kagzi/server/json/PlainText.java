package dev.kagzi.server.json;

/**
 * Undoes what the printer of JSON does for the sake of HTML, which this is not: it writes
 * apostrophes and some other characters as escapes that nobody can read. The sign that opens a tag
 * stays escaped, so that nothing that takes the answer for a page finds one in it. Pure.
 */
final class PlainText {

  private static final int ESCAPE_LENGTH = 6;

  private PlainText() {}

  /**
   * The same JSON in readable form.
   *
   * @param json as printed: a backslash stands only inside of texts and begins an escape
   */
  static String of(String json) {
    int next = json.indexOf('\\');
    if (next < 0) {
      return json;
    }
    StringBuilder plain = new StringBuilder(json.length());
    int done = 0;
    while (next >= 0) {
      plain.append(json, done, next);
      char shown = readable(json, next);
      if (shown == 0) {
        // An escaped backslash goes with what it escapes, and is not looked at again.
        plain.append(json, next, next + 2);
        done = next + 2;
      } else {
        plain.append(shown);
        done = next + ESCAPE_LENGTH;
      }
      next = json.indexOf('\\', done);
    }
    return plain.append(json, done, json.length()).toString();
  }

  /** The character that is better written plainly, or 0. */
  private static char readable(String json, int at) {
    if (!json.startsWith("\\u00", at)) {
      return 0;
    }
    return switch (json.substring(at + 4, at + ESCAPE_LENGTH)) {
      case "26" -> '&';
      case "27" -> '\'';
      case "3d" -> '=';
      case "3e" -> '>';
      default -> 0;
    };
  }
}
