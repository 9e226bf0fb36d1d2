package dev.kagzi.e2e.chaos;

import dev.kagzi.sdk.CancelOutcome;
import java.util.ArrayList;
import java.util.List;

/**
 * What must have happened for a run of the harness to mean anything: that nothing was wrong is no
 * wonder where nothing went on.
 *
 * @param runs that ended
 * @param completed of those
 * @param faults that hit something
 * @param postgresKills of those
 * @param ofEachKind of faults
 * @param fenced how often a worker had to be told that a run was not its own any more
 * @param cancels that were acknowledged
 */
record Floors(
    long runs,
    long completed,
    long faults,
    long postgresKills,
    long ofEachKind,
    long fenced,
    long cancels) {

  /** As much of it as belongs to a part of the time. */
  Floors share(int part, int whole) {
    return new Floors(
        runs * part / whole,
        completed * part / whole,
        faults * part / whole,
        postgresKills * part / whole,
        ofEachKind * part / whole,
        fenced * part / whole,
        cancels * part / whole);
  }

  /** What was not reached, in words. */
  List<String> missed(Chaos.Outcome outcome) {
    var missed = new ArrayList<String>();
    expect(missed, "runs", runs, outcome.runs());
    expect(missed, "completed runs", completed, outcome.completed());
    expect(missed, "faults", faults, outcome.hits().size());
    expect(missed, "kills of PostgreSQL", postgresKills, count(outcome, Fault.KILL_POSTGRES));
    for (Fault kind : Fault.values()) {
      expect(missed, "times " + kind, ofEachKind, count(outcome, kind));
    }
    expect(missed, "refused writes of old leases", fenced, outcome.fenced());
    expect(missed, "acknowledged cancels", cancels, cancels(outcome));
    return missed;
  }

  private static long count(Chaos.Outcome outcome, Fault kind) {
    return outcome.hits().stream().filter(hit -> hit.fault() == kind).count();
  }

  private static long cancels(Chaos.Outcome outcome) {
    String tooLate = CancelOutcome.ALREADY_FINISHED.name();
    return outcome.acks().stream()
        .filter(ack -> ack.kind() == Customer.Kind.CANCEL && !ack.detail().equals(tooLate))
        .count();
  }

  private static void expect(List<String> missed, String what, long least, long seen) {
    if (seen < least) {
      missed.add("only %d %s (expected: at least %d)".formatted(seen, what, least));
    }
  }
}
