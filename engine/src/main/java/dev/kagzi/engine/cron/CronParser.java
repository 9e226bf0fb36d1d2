package dev.kagzi.engine.cron;

import com.cronutils.model.Cron;
import com.cronutils.model.definition.CronDefinition;
import com.cronutils.model.definition.CronDefinitionBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Reads cron expressions of 5 fields, of 6 with the seconds first and of 7 with the year last. All
 * forms mean the same by a field; where both days are restricted either of them matches, as
 * everywhere since Vixie's cron.
 */
final class CronParser {

  private static final Map<String, String> NICKNAMES =
      Map.of(
          "@yearly", "0 0 1 1 *",
          "@annually", "0 0 1 1 *",
          "@monthly", "0 0 1 * *",
          "@weekly", "0 0 * * 0",
          "@daily", "0 0 * * *",
          "@midnight", "0 0 * * *",
          "@hourly", "0 * * * *");

  private static final Pattern NUMBER = Pattern.compile("(/?)(\\d+)");
  private static final Pattern WORD = Pattern.compile("[A-Za-z]+");
  private static final int SHORTEST_FORM = 5;

  private static final CronDefinition DEFINITION =
      CronDefinitionBuilder.defineCron()
          .withSeconds()
          .withValidRange(0, 59)
          .and()
          .withMinutes()
          .withValidRange(0, 59)
          .and()
          .withHours()
          .withValidRange(0, 23)
          .and()
          .withDayOfMonth()
          .withValidRange(1, 31)
          .and()
          .withMonth()
          .withValidRange(1, 12)
          .and()
          .withDayOfWeek()
          .withValidRange(0, 7)
          .withMondayDoWValue(1)
          .withIntMapping(7, 0)
          .and()
          .withYear()
          .withValidRange(1970, 2099)
          .optional()
          .and()
          .instance();

  private final com.cronutils.parser.CronParser parser =
      new com.cronutils.parser.CronParser(DEFINITION);

  /** An expression that can be read. */
  record Parsed(Cron cron, String hours) {}

  Parsed parse(String expression) {
    String text = expression.strip();
    String known = NICKNAMES.get(text.toLowerCase(Locale.ROOT));
    List<String> fields = List.of((known == null ? text : known).split("\\s+"));
    List<CronField> form = CronField.ofForm(fields.size());
    if (form.isEmpty()) {
      throw new BadCronException(wrongForm(text, fields));
    }
    requireReadable(text, fields, form);
    List<String> full = new ArrayList<>(fields);
    if (!form.contains(CronField.SECOND)) {
      full.add(0, "0");
    }
    try {
      Cron cron = parser.parse(String.join(" ", full).toUpperCase(Locale.ROOT));
      return new Parsed(cron.validate(), fields.get(form.indexOf(CronField.HOUR)));
    } catch (IllegalArgumentException e) {
      throw new BadCronException("'%s': %s".formatted(text, e.getMessage()));
    }
  }

  private String wrongForm(String text, List<String> fields) {
    if (text.startsWith("@")) {
      return "'%s' is not known (expected: one of @hourly, @daily, @weekly, @monthly, @yearly)"
          .formatted(text);
    }
    return ("'%s' has %d field(s) (expected: 5, as in '30 9 * * MON-FRI'; 6 with the seconds first;"
            + " or 7 with the year last%s)")
        .formatted(
            text,
            text.isEmpty() ? 0 : fields.size(),
            hint(text.isEmpty() ? Optional.empty() : nearestForm(fields)));
  }

  private static String hint(Optional<String> near) {
    return near.map("; nearest: '%s'"::formatted).orElse("");
  }

  /** What was written as five fields, if that can be read. */
  private Optional<String> nearestForm(List<String> fields) {
    List<String> five = new ArrayList<>(fields.subList(0, Math.min(SHORTEST_FORM, fields.size())));
    while (five.size() < SHORTEST_FORM) {
      five.add("*");
    }
    List<CronField> form = CronField.ofForm(SHORTEST_FORM);
    boolean readable =
        IntStream.range(0, SHORTEST_FORM).allMatch(i -> canRead(form.get(i), five.get(i)));
    return readable ? Optional.of(String.join(" ", five)) : Optional.empty();
  }

  /** Each field is tried alone, so that all faults are named and each with its place. */
  private void requireReadable(String text, List<String> fields, List<CronField> form) {
    List<String> faults = new ArrayList<>();
    for (int i = 0; i < form.size(); i++) {
      CronField field = form.get(i);
      String value = fields.get(i);
      if (!canRead(field, value)) {
        faults.add(
            "field %d (%s) '%s' cannot be read (expected: %s, *, lists, ranges or steps%s)"
                .formatted(
                    i + 1, field.label(), value, field.allowed(), hint(nearest(field, value))));
      }
    }
    if (!faults.isEmpty()) {
      throw new BadCronException("'%s': %s".formatted(text, String.join("; ", faults)));
    }
  }

  private boolean canRead(CronField tried, String value) {
    List<String> fields = new ArrayList<>();
    for (CronField field : CronField.values()) {
      fields.add(field.equals(tried) ? value.toUpperCase(Locale.ROOT) : "*");
    }
    try {
      parser.parse(String.join(" ", fields)).validate();
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** The same with its numbers brought into range and its words made names, if it can be read. */
  private Optional<String> nearest(CronField field, String value) {
    String inRange = NUMBER.matcher(value).replaceAll(number -> inRange(field, number));
    String near = WORD.matcher(inRange).replaceAll(word -> field.nearestName(word.group()));
    return near.equals(value) || !canRead(field, near) ? Optional.empty() : Optional.of(near);
  }

  /** A step of nothing leads nowhere, whatever the field's own range. */
  private static String inRange(CronField field, MatchResult number) {
    String digits = number.group(2);
    boolean step = !number.group(1).isEmpty();
    long wanted = digits.length() > 9 ? field.most() : Long.parseLong(digits);
    return number.group(1) + Math.clamp(wanted, step ? 1 : field.least(), field.most());
  }
}
