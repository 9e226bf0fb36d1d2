package dev.kagzi.server.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the command line sets, by flag ({@code --grpc-port}), and what could not be understood.
 * Immutable.
 *
 * @param values texts by flag, as given; flags nobody knows are found when the configuration is
 *     loaded, together with all other faults
 */
public record ConfigFlags(Map<String, String> values, List<Fault> faults) {
  private static final String PREFIX = "--";

  public ConfigFlags {
    values = Map.copyOf(values);
    faults = List.copyOf(faults);
  }

  public static ConfigFlags none() {
    return of(Map.of());
  }

  /** Flags that somebody else, such as picocli, has parsed already. */
  public static ConfigFlags of(Map<String, String> values) {
    return new ConfigFlags(values, List.of());
  }

  /** Reads {@code --key value} and {@code --key=value}. */
  public static ConfigFlags parse(List<String> arguments) {
    var values = new LinkedHashMap<String, String>();
    var faults = new ArrayList<Fault>();
    var rest = arguments.iterator();
    while (rest.hasNext()) {
      var argument = rest.next();
      var equals = argument.indexOf('=');
      if (!argument.startsWith(PREFIX) || equals == PREFIX.length()) {
        faults.add(new Fault(argument, "not a flag (expected: --key value or --key=value)"));
      } else if (equals > 0) {
        put(argument.substring(0, equals), argument.substring(equals + 1), values, faults);
      } else if (rest.hasNext()) {
        put(argument, rest.next(), values, faults);
      } else {
        faults.add(new Fault(argument, "no value given"));
      }
    }
    return new ConfigFlags(values, faults);
  }

  private static void put(
      String flag, String value, Map<String, String> values, List<Fault> faults) {
    if (values.putIfAbsent(flag, value) != null) {
      faults.add(new Fault(flag, "given twice"));
    }
  }
}
