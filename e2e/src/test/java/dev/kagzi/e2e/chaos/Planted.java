package dev.kagzi.e2e.chaos;

import static dev.kagzi.e2e.chaos.Invariant.I1;
import static dev.kagzi.e2e.chaos.Invariant.I10;
import static dev.kagzi.e2e.chaos.Invariant.I11;
import static dev.kagzi.e2e.chaos.Invariant.I12;
import static dev.kagzi.e2e.chaos.Invariant.I13;
import static dev.kagzi.e2e.chaos.Invariant.I14;
import static dev.kagzi.e2e.chaos.Invariant.I2;
import static dev.kagzi.e2e.chaos.Invariant.I3;
import static dev.kagzi.e2e.chaos.Invariant.I4;
import static dev.kagzi.e2e.chaos.Invariant.I5;
import static dev.kagzi.e2e.chaos.Invariant.I6;
import static dev.kagzi.e2e.chaos.Invariant.I7;
import static dev.kagzi.e2e.chaos.Invariant.I8;
import static dev.kagzi.e2e.chaos.Invariant.I9;

import java.util.List;

/**
 * A fault of Kagzi's that never was: SQL that makes its tables look as if.
 *
 * @param what in words
 * @param breaks the invariant that must be found broken
 * @param sql does it
 */
record Planted(String what, Invariant breaks, String sql) {

  /** The first completed run of the client's with a step, which most others are about too. */
  private static final String RUN =
      "(SELECT s.run_id FROM kagzi.step_runs s JOIN kagzi.finished_runs f USING (run_id)"
          + " JOIN chaos.acks a USING (run_id) JOIN chaos.ledger l USING (run_id, step_key)"
          + " WHERE f.status = 'COMPLETED' AND f.lease_epoch = 1 AND s.kind = 'FUNCTION'"
          + " AND s.status = 'COMPLETED' AND f.continued_as_run_id IS NULL AND a.kind = 'START'"
          + " AND l.phase = 'BEGIN' ORDER BY s.run_id LIMIT 1)";

  private static final String STEP =
      "(SELECT s.step_key FROM kagzi.step_runs s WHERE s.run_id = "
          + RUN
          + " AND s.kind = 'FUNCTION' AND s.status = 'COMPLETED' ORDER BY s.step_key LIMIT 1)";

  /** A run with a saga of at least two steps. */
  private static final String IN_SAGA =
      "(SELECT run_id FROM chaos.ledger WHERE phase = 'END' AND step_key ~ '^h\\d+-\\d+-1$'"
          + " ORDER BY run_id LIMIT 1)";

  /** A live run; what it needs to have beyond a name is what the schema insists on. */
  private static String live(String id, String columns, String values) {
    return "INSERT INTO kagzi.workflow_runs (run_id, namespace_id, task_queue, workflow_type,"
        + " version, created_at, status, available_at, lease_until, locked_by"
        + columns
        + ") VALUES ("
        + id
        + ", 'default', 'q', 't', '', now(), "
        + values
        + ")";
  }

  static final List<Planted> ALL =
      List.of(
          new Planted(
              "an acknowledged run is gone",
              I1,
              "DELETE FROM kagzi.finished_runs WHERE run_id = " + RUN),
          new Planted(
              "an ended run is live too", I1, live(RUN, "", "'PENDING', now(), NULL, NULL")),
          new Planted(
              "an ended run is changed",
              I2,
              "UPDATE kagzi.finished_runs SET stop_reason = 'x' WHERE run_id = " + RUN),
          new Planted(
              "a run returns something else",
              I3,
              "UPDATE kagzi.finished_runs SET output = '\"x\"' WHERE run_id = " + RUN),
          new Planted(
              "a run ends otherwise",
              I3,
              "UPDATE kagzi.finished_runs SET status = 'TIMED_OUT' WHERE run_id = " + RUN),
          new Planted(
              "a step of the path is not recorded",
              I4,
              "DELETE FROM kagzi.step_runs WHERE run_id = " + RUN),
          new Planted(
              "a step is recorded that nobody has asked for",
              I4,
              "UPDATE kagzi.step_runs SET step_key = 'x' WHERE run_id = "
                  + RUN
                  + " AND step_key = "
                  + STEP),
          new Planted(
              "a step has an epoch that its run never had",
              I4,
              "UPDATE kagzi.step_runs SET lease_epoch = 99 WHERE run_id = " + RUN),
          new Planted(
              "a step was never executed", I5, "DELETE FROM chaos.ledger WHERE run_id = " + RUN),
          new Planted(
              "a step was executed twice in one lease",
              I5,
              "INSERT INTO chaos.ledger SELECT 0, run_id, step_key, 'BEGIN', 1, now()"
                  + " FROM kagzi.step_runs WHERE run_id = "
                  + RUN),
          new Planted(
              "a step for once was executed twice",
              I5,
              "INSERT INTO chaos.ledger SELECT 0, run_id, step_key, 'BEGIN', 1, now()"
                  + " FROM chaos.expected_steps, generate_series(1, 2) WHERE fate = 'SETTLED'"),
          new Planted(
              "a run has ended inside a saga",
              I5,
              "UPDATE kagzi.step_runs SET saga_change = 1 WHERE run_id = " + RUN),
          new Planted(
              "a saga is closed that nobody has opened",
              I5,
              "UPDATE kagzi.step_runs SET saga_change = -1 WHERE step_key = "
                  + STEP
                  + " AND run_id = "
                  + RUN),
          new Planted(
              "a run was cancelled in the middle of a saga and has undone nothing",
              I5,
              "UPDATE kagzi.finished_runs SET status = 'CANCELLED' WHERE run_id = "
                  + IN_SAGA
                  + "; DELETE FROM kagzi.step_runs WHERE (compensation OR step_key ~"
                  + " '^h\\d+-\\d+-1$') AND run_id = "
                  + IN_SAGA),
          new Planted(
              "a wait outlives its run",
              I6,
              "INSERT INTO kagzi.run_waits (run_id, step_key, seq, kind, wake_at, since) VALUES ("
                  + RUN
                  + ", 'w', 1, 'TIMER', now(), now())"),
          new Planted(
              "a tick is missing",
              I7,
              "DELETE FROM kagzi.schedule_firings WHERE fire_at ="
                  + " (SELECT min(fire_at) FROM kagzi.schedule_firings)"),
          new Planted(
              "nothing fires any more",
              I7,
              "UPDATE chaos.settings SET ticks_until = now() + interval '1 h'"),
          new Planted(
              "a tick has no run",
              I7,
              "UPDATE kagzi.schedule_firings SET run_id = gen_random_uuid() WHERE fire_at ="
                  + " (SELECT min(fire_at) FROM kagzi.schedule_firings)"),
          new Planted(
              "a tick fires twice",
              I7,
              "UPDATE kagzi.finished_runs SET fire_at = (SELECT min(fire_at)"
                  + " FROM kagzi.schedule_firings) WHERE schedule_group_id IS NOT NULL"),
          new Planted(
              "a sleep ends before its time",
              I8,
              "UPDATE kagzi.step_runs SET wake_at = finished_at + interval '1 ms'"
                  + " WHERE kind = 'SLEEP' AND status = 'COMPLETED'"),
          new Planted(
              "a sleep was shorter than the program says",
              I8,
              "UPDATE chaos.naps SET millis = millis + 3600000"),
          new Planted(
              "a lease is too long",
              I9,
              live(
                  "gen_random_uuid()",
                  "",
                  "'RUNNING', NULL, now() + interval '1 h', gen_random_uuid()")),
          new Planted(
              "a lease has run out and nobody has noticed",
              I9,
              live(
                  "gen_random_uuid()",
                  "",
                  "'RUNNING', NULL, now() - interval '6 s', gen_random_uuid()")),
          new Planted(
              "two callers got different runs",
              I10,
              "INSERT INTO chaos.acks SELECT 'START', a.key, f.run_id, '' FROM chaos.acks a,"
                  + " kagzi.finished_runs f WHERE a.kind = 'START' AND a.run_id = "
                  + RUN
                  + " AND f.schedule_group_id IS NOT NULL"),
          new Planted(
              "a run has crashed too often and lives",
              I11,
              live(
                  "gen_random_uuid()",
                  ", crashes_in_row",
                  "'PENDING', now(), NULL, NULL, 1000000")),
          new Planted(
              "a completed run has failed",
              I11,
              "UPDATE kagzi.finished_runs SET failures = 1 WHERE run_id = " + RUN),
          new Planted(
              "an attempt has no record",
              I11,
              "UPDATE kagzi.step_runs SET attempt = attempt + 5 WHERE run_id = " + RUN),
          new Planted(
              "a child is in another namespace",
              I12,
              "UPDATE kagzi.finished_runs SET namespace_id = 'x' WHERE parent_run_id IS NOT NULL"),
          new Planted(
              "a scheduled run is in another namespace",
              I12,
              "UPDATE kagzi.finished_runs SET namespace_id = 'x'"
                  + " WHERE schedule_group_id IS NOT NULL"),
          new Planted(
              "an event is in another namespace",
              I12,
              "UPDATE kagzi.run_events SET namespace_id = 'x'"),
          new Planted("an acknowledged event is gone", I13, "DELETE FROM kagzi.run_events"),
          new Planted(
              "an acknowledged step is gone",
              I13,
              "DELETE FROM kagzi.step_runs WHERE run_id = " + RUN),
          new Planted(
              "a result that was seen is another",
              I13,
              "UPDATE chaos.acks SET detail = 'x' WHERE kind = 'RESULT'"),
          new Planted(
              "an acknowledged cancel is gone",
              I13,
              "INSERT INTO chaos.acks VALUES ('CANCEL', 'k', " + RUN + ", 'CANCELLED')"),
          new Planted(
              "an acknowledged stop is lost",
              I13,
              "INSERT INTO chaos.acks VALUES ('CANCEL', 'k', " + RUN + ", 'STOP_REQUESTED')"),
          new Planted(
              "a step is written by one who has lost the run",
              I14,
              "INSERT INTO chaos.holds SELECT run_id, lease_epoch, true,"
                  + " finished_at - interval '1 s', '3' FROM kagzi.step_runs"
                  + " WHERE kind = 'FUNCTION' AND status = 'COMPLETED' AND run_id = "
                  + RUN),
          new Planted(
              "a run has an epoch that nobody was given",
              I14,
              "DELETE FROM chaos.holds WHERE run_id = " + RUN),
          new Planted(
              "two hold a run under one epoch",
              I14,
              "INSERT INTO chaos.holds SELECT * FROM chaos.holds WHERE NOT ended AND run_id = "
                  + RUN));

  /** What looks like a fault and is none. */
  static final List<Planted> HARMLESS =
      List.of(
          new Planted(
              "a run that crashes again and again ends inside its saga",
              I5,
              openSaga("{\"kind\": \"CrashLoop\", \"message\": \"x\"}")),
          new Planted(
              "a run that undoes its work for too long ends inside its saga",
              I5,
              openSaga(
                  "{\"kind\": \"Timeout\","
                      + " \"message\": \"its compensations have not finished in time\"}")),
          new Planted(
              "a run that was to be stopped came to its end first",
              I13,
              "WITH asked AS (INSERT INTO chaos.acks VALUES ('CANCEL', 'k', "
                  + RUN
                  + ", 'STOP_REQUESTED')) UPDATE kagzi.finished_runs SET stop_reason = 'x'"
                  + " WHERE run_id = "
                  + RUN),
          new Planted(
              "a saga was closed before its run was sent back",
              I5,
              "INSERT INTO kagzi.step_runs (run_id, step_key, attempt, seq, kind, status, settled,"
                  + " lease_epoch, saga_change, finished_at, superseded_at) SELECT run_id,"
                  + " 'saga-end', 1, 99, 'MARKER', 'COMPLETED', true, 1, -1, now(), now()"
                  + " FROM kagzi.finished_runs WHERE run_id = "
                  + RUN));

  private static String openSaga(String error) {
    return "WITH marked AS (UPDATE kagzi.step_runs SET saga_change = 1 WHERE step_key = "
        + STEP
        + " AND run_id = "
        + RUN
        + ") UPDATE kagzi.finished_runs SET error = '"
        + error
        + "' WHERE run_id = "
        + RUN;
  }

  @Override
  public String toString() {
    return what;
  }
}
