package dev.kagzi.cli.output;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Rows in columns that are as wide as their widest cell. A header that ends in {@code >} makes its
 * column flush right. Not thread-safe.
 */
public final class Table {
  private static final String GAP = "  ";
  private static final Pattern COLOUR = Pattern.compile("\u001b\\[[0-9;]*m");

  private final List<List<String>> rows = new ArrayList<>();
  private final boolean[] right;

  public Table(String... headers) {
    right = new boolean[headers.length];
    var names = new ArrayList<String>();
    for (var i = 0; i < headers.length; i++) {
      right[i] = headers[i].endsWith(">");
      names.add(right[i] ? headers[i].substring(0, headers[i].length() - 1) : headers[i]);
    }
    rows.add(names);
  }

  /** Adds a row with a cell for each header. */
  public Table row(Object... cells) {
    if (cells.length != right.length) {
      throw new IllegalArgumentException(
          "cells: %d (expected: %d)".formatted(cells.length, right.length));
    }
    var row = new ArrayList<String>();
    for (var cell : cells) {
      row.add(String.valueOf(cell));
    }
    rows.add(row);
    return this;
  }

  public String text() {
    return text("");
  }

  /** The table with something in front of each line. */
  public String text(String indent) {
    var widths = new int[right.length];
    for (var row : rows) {
      for (var i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], width(row.get(i)));
      }
    }
    var text = new StringBuilder();
    for (var row : rows) {
      text.append((indent + line(row, widths)).stripTrailing()).append('\n');
    }
    return text.toString();
  }

  private String line(List<String> row, int[] widths) {
    var cells = new ArrayList<String>();
    for (var i = 0; i < widths.length; i++) {
      var padding = " ".repeat(widths[i] - width(row.get(i)));
      cells.add(right[i] ? padding + row.get(i) : row.get(i) + padding);
    }
    return String.join(GAP, cells);
  }

  private static int width(String cell) {
    var plain = COLOUR.matcher(cell).replaceAll("");
    return plain.codePointCount(0, plain.length());
  }
}
