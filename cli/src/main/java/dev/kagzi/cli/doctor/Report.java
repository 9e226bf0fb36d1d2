package dev.kagzi.cli.doctor;

import com.google.protobuf.ListValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.protobuf.util.Values;
import dev.kagzi.cli.output.Answer;
import dev.kagzi.cli.output.OutputOptions;
import dev.kagzi.cli.output.Words;
import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.cli.shell.Session;
import java.util.ArrayList;
import java.util.List;

/**
 * What all looks have found: told to a person as they find it, because some take long, and to a
 * program as a whole. Not thread-safe.
 */
final class Report {
  private final Session session;
  private final OutputOptions output;
  private final List<Finding> findings = new ArrayList<>();

  Report(Session session, OutputOptions output) {
    this.session = session;
    this.output = output;
  }

  void add(List<Finding> found) {
    findings.addAll(found);
    if (output.isForPeople()) {
      var paint = output.look(session).paint();
      found.forEach(finding -> session.out().println(finding.line(paint)));
      session.out().flush();
    }
  }

  /** Whether nothing but a problem was found, so that there is nothing to look at behind it. */
  boolean isOneProblem() {
    return findings.stream().map(Finding::level).toList().equals(List.of(Finding.Level.PROBLEM));
  }

  /** Prints what is left to say, and says how to end. */
  ExitCode end() {
    var rows = findings.stream().map(Finding::message).toList();
    output.printer(session).print(new Answer(message(rows), rows, List.of(), look -> summary()));
    return count(Finding.Level.PROBLEM) == 0 ? ExitCode.OK : ExitCode.ERROR;
  }

  private static Struct message(List<Struct> rows) {
    var values = ListValue.newBuilder();
    rows.forEach(row -> values.addValues(Value.newBuilder().setStructValue(row)));
    return Struct.newBuilder().putFields("findings", Values.of(values.build())).build();
  }

  private String summary() {
    return "%s, %s%n"
        .formatted(
            Words.count(count(Finding.Level.PROBLEM), "problem"),
            Words.count(count(Finding.Level.WARNING), "warning"));
  }

  private long count(Finding.Level level) {
    return findings.stream().filter(finding -> finding.level() == level).count();
  }
}
