package dev.kagzi.e2e.chaos;

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
 * @param fenced how often a worker had to be told that a run was not its own any more
 */
record Floors(long runs, long completed, long faults, long postgresKills, long fenced) {

  /** What was not reached, in words. */
  List<String> missed(Chaos.Outcome outcome) {
    var missed = new ArrayList<String>();
    long kills = outcome.hits().stream().filter(hit -> hit.fault() == Fault.KILL_POSTGRES).count();
    expect(missed, "runs", runs, outcome.runs());
    expect(missed, "completed runs", completed, outcome.completed());
    expect(missed, "faults", faults, outcome.hits().size());
    expect(missed, "kills of PostgreSQL", postgresKills, kills);
    expect(missed, "refused writes of old leases", fenced, outcome.fenced());
    return missed;
  }

  private static void expect(List<String> missed, String what, long least, long seen) {
    if (seen < least) {
      missed.add("only %d %s (expected: at least %d)".formatted(seen, what, least));
    }
  }
}
