package dev.kagzi.bench.report;

import dev.kagzi.bench.driver.Samples;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Prints figures: for scripts as lines or JSON, for people as tables. Stateless. */
public final class Printer {
  private static final double LARGE = 100;
  private static final double SMALL = 1;
  private static final String GAP = "  ";

  private Printer() {}

  /** One {@code key: value} per line, facts first. */
  public static void lines(Figures figures, PrintStream out) {
    figures.facts().forEach((name, text) -> out.printf("%s: %s%n", name, text));
    figures.flat().forEach((key, value) -> out.printf("%s: %s%n", key, number(value)));
  }

  /** One JSON object, with the same names. */
  public static void json(Figures figures, PrintStream out) {
    var entries = new ArrayList<String>();
    figures.facts().forEach((name, text) -> entries.add(quoted(name) + ": " + quoted(text)));
    figures.flat().forEach((key, value) -> entries.add(quoted(key) + ": " + number(value)));
    out.println(entries.stream().collect(Collectors.joining(",\n  ", "{\n  ", "\n}")));
  }

  private static String quoted(String text) {
    var escaped = new StringBuilder();
    text.chars()
        .forEach(character -> {
          if (character == '"' || character == '\\') {
            escaped.append('\\');
          }
          if (character < ' ') {
            escaped.append(String.format(Locale.ROOT, "\\u%04x", character));
          } else {
            escaped.append((char) character);
          }
        });
    return "\"" + escaped + "\"";
  }

  /** As many digits as mean something. */
  static String number(double value) {
    double size = Math.abs(value);
    var digits = size >= LARGE ? "%.0f" : size >= SMALL ? "%.2f" : "%.4f";
    return String.format(Locale.ROOT, digits, value);
  }

  /** A table for each workload: figures down, systems across, median and spread in each cell. */
  public static void tables(Figures figures, PrintStream out) {
    var workloads = new LinkedHashSet<String>();
    figures.keys().forEach(key -> workloads.add(key.workload()));
    workloads.forEach(workload -> table(figures, workload, out));
  }

  /** The table of one workload. */
  static void table(Figures figures, String workload, PrintStream out) {
    var keys = figures.keys().stream().filter(key -> key.workload().equals(workload)).toList();
    var systems = keys.stream().map(FigureKey::system).distinct().toList();
    var rows = new ArrayList<List<String>>();
    var head = new ArrayList<>(List.of(workload));
    head.addAll(systems);
    rows.add(head);
    for (var figure : keys.stream().map(FigureKey::figure).distinct().toList()) {
      var row = new ArrayList<>(List.of(figure));
      for (var system : systems) {
        row.add(
            figures.samples(new FigureKey(workload, system, figure)).map(Printer::cell).orElse(""));
      }
      rows.add(row);
    }
    out.println();
    print(rows, out);
  }

  private static String cell(Samples samples) {
    return samples.count() == 1
        ? number(samples.median())
        : "%s (%s..%s)"
            .formatted(number(samples.median()), number(samples.min()), number(samples.max()));
  }

  private static void print(List<List<String>> rows, PrintStream out) {
    var widths = new int[rows.getFirst().size()];
    for (var row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    for (var row : rows) {
      var line = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        var padded = i == 0 ? "%-" + widths[i] + "s" : GAP + "%" + widths[i] + "s";
        line.append(String.format(Locale.ROOT, padded, row.get(i)));
      }
      out.println(line.toString().stripTrailing());
    }
  }
}
