package dev.kagzi.cli.command;

import dev.kagzi.cli.output.Look;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Labels as they are shown. Stateless. */
public final class Labels {
  private Labels() {}

  /** {@code a=1 b=2}, by key. */
  public static String shown(Map<String, String> labels) {
    return labels.isEmpty()
        ? Look.NONE
        : new TreeMap<>(labels)
            .entrySet().stream()
                .map(label -> label.getKey() + "=" + label.getValue())
                .collect(Collectors.joining(" "));
  }
}
