package dev.kagzi.tidy;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** What no line of a source file may contain. Stateless and thread-safe. */
public final class TextRules {
  // Written in two halves, or this file would break its own rule.
  private static final Pattern UNFINISHED = Pattern.compile("\\b(TO" + "DO|FIX" + "ME)\\b");
  private static final Pattern WILDCARD_IMPORT =
      Pattern.compile("^import\\s+(static\\s+)?[\\w.]+\\.\\*;.*");

  private TextRules() {}

  /** Objections as {@code line: reason}, none for a clean file. */
  public static List<String> objections(SourceFile file) {
    var objections = new ArrayList<String>();
    var lines = file.lines();
    for (var i = 0; i < lines.size(); i++) {
      for (var reason : objectionsTo(lines.get(i), file.isJava())) {
        objections.add((i + 1) + ": " + reason);
      }
    }
    if (!file.text().endsWith("\n")) {
      objections.add(lines.size() + ": the file does not end in a newline");
    }
    return objections;
  }

  private static List<String> objectionsTo(String line, boolean java) {
    var reasons = new ArrayList<String>();
    if (!line.equals(line.stripTrailing())) {
      reasons.add("trailing whitespace");
    }
    if (line.contains("\t")) {
      reasons.add("tab");
    }
    if (UNFINISHED.matcher(line).find()) {
      reasons.add("unfinished work; finish it or open an issue");
    }
    if (java && WILDCARD_IMPORT.matcher(line).matches()) {
      reasons.add("wildcard import");
    }
    return reasons;
  }
}
