package dev.kagzi.cli.demo;

import dev.kagzi.cli.demo.Ledger.Entry;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * What the ledger proves. Pure.
 *
 * @param killed the process that had to execute the first half
 * @param survivor the process that had to execute the second half
 */
record Verdict(List<Entry> ledger, long killed, long survivor) {
  private static final DateTimeFormatter CLOCK_TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT);
  private static final int STEPS_BEFORE_KILL = 2;

  Verdict {
    ledger = List.copyOf(ledger);
  }

  /** Everything that is not as it should be; none if each step happened once, where it should. */
  List<String> faults() {
    var faults = new ArrayList<String>();
    for (var i = 0; i < OrderWorkflow.STEPS.size(); i++) {
      check(OrderWorkflow.STEPS.get(i), i < STEPS_BEFORE_KILL ? killed : survivor, faults);
    }
    return faults;
  }

  private void check(String step, long expectedPid, List<String> faults) {
    var entries = entries(step);
    if (entries.size() != 1) {
      faults.add("%s happened %d times (expected: once)".formatted(step, entries.size()));
    } else if (entries.getFirst().pid() != expectedPid) {
      faults.add(
          "%s happened in pid %d (expected: in pid %d)"
              .formatted(step, entries.getFirst().pid(), expectedPid));
    }
  }

  private List<Entry> entries(String step) {
    return ledger.stream().filter(entry -> entry.step().equals(step)).toList();
  }

  /** The ledger, one line per step. */
  String table() {
    return OrderWorkflow.STEPS.stream()
        .map(this::row)
        .collect(Collectors.joining("", row("side effect", "times", "by pid", "at"), ""));
  }

  private String row(String step) {
    var entries = entries(step);
    return row(
        step,
        Integer.toString(entries.size()),
        entries.stream().map(entry -> Long.toString(entry.pid())).collect(Collectors.joining(", ")),
        entries.stream()
            .map(entry -> CLOCK_TIME.format(entry.at().atZone(ZoneId.systemDefault())))
            .collect(Collectors.joining(", ")));
  }

  private static String row(String step, String times, String pid, String at) {
    return "  %-16s%5s   %-10s%s%n".formatted(step, times, pid, at);
  }
}
