package dev.kagzi.engine.jdbc;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * SQL text with {@code :name} parameters. Fixed text is translated once, and the cache is as large
 * as the program has statements; assembled text must not come near it.
 *
 * @param openings the same as the first statement of a transaction, for each of {@link Plans}
 */
record NamedSql(String jdbc, Map<Plans, String> openings, List<String> parameters) {

  // Not preceded by a colon, so that casts (::uuid) are left alone.
  private static final Pattern PARAMETER = Pattern.compile("(?<!:):([a-zA-Z][a-zA-Z0-9]*)");
  private static final ConcurrentMap<String, NamedSql> CACHE = new ConcurrentHashMap<>();

  static NamedSql of(String sql) {
    return CACHE.computeIfAbsent(sql, NamedSql::translate);
  }

  static NamedSql translate(String sql) {
    List<String> parameters = new ArrayList<>();
    Matcher parameter = PARAMETER.matcher(sql);
    StringBuilder jdbc = new StringBuilder();
    while (parameter.find()) {
      parameters.add(parameter.group(1));
      parameter.appendReplacement(jdbc, "?");
    }
    parameter.appendTail(jdbc);
    Map<Plans, String> openings = new EnumMap<>(Plans.class);
    for (Plans plans : Plans.values()) {
      openings.put(plans, plans.opening() + jdbc);
    }
    return new NamedSql(jdbc.toString(), openings, List.copyOf(parameters));
  }
}
