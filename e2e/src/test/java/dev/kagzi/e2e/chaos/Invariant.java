package dev.kagzi.e2e.chaos;

import java.util.List;

/**
 * What must hold whatever happened, as statements that find what breaks it: every one of them must
 * return no row. A row is one text that says where to look. They read Kagzi's tables and what
 * {@link Evidence} lays beside them.
 */
enum Invariant {
  I1(
      "a started run is live or ended, once",
      """
      SELECT 'acknowledged and gone: ' || run_id FROM chaos.acks a
      WHERE kind = 'START' AND NOT EXISTS (SELECT FROM chaos.runs r WHERE r.run_id = a.run_id)
      """,
      "SELECT 'in two places: ' || run_id FROM chaos.runs GROUP BY run_id HAVING count(*) > 1",
      """
      SELECT 'started twice: ' || external_id FROM chaos.runs
      WHERE continued_from_run_id IS NULL AND external_id LIKE 'job-%'
      GROUP BY external_id HAVING count(*) > 1
      """),
  I2(
      "what has ended never changes",
      "SELECT what || ' of the ended run ' || run_id FROM chaos.changes"),
  I3(
      "runs end and return as the model says",
      """
      SELECT format('%s is %s instead of %s', r.run_id, r.status, e.status)
      FROM chaos.expected_runs e JOIN chaos.runs r USING (run_id)
      WHERE NOT r.live AND r.status <> e.status AND NOT (e.stoppable AND r.status = 'CANCELLED')
      """,
      """
      SELECT format('%s returned %s instead of %s', r.run_id, convert_from(r.output, 'UTF8'),
                    e.output)
      FROM chaos.expected_runs e JOIN chaos.runs r USING (run_id)
      WHERE r.status = 'COMPLETED' AND NOT e.continues
        AND convert_from(r.output, 'UTF8') IS DISTINCT FROM e.output
      """,
      """
      SELECT format('%s goes on as %s', r.run_id, r.continued_as_run_id)
      FROM chaos.expected_runs e JOIN chaos.runs r USING (run_id)
      WHERE r.status = 'COMPLETED' AND e.continues <> (r.continued_as_run_id IS NOT NULL)
         OR r.continued_as_run_id IS NOT NULL
            AND NOT EXISTS (SELECT FROM chaos.runs n WHERE n.run_id = r.continued_as_run_id)
      """,
      """
      SELECT format('%s has %s children instead of %s', e.run_id, count(c.run_id), e.children)
      FROM chaos.expected_runs e JOIN chaos.runs r USING (run_id)
      LEFT JOIN chaos.runs c ON c.parent_run_id = e.run_id AND c.continued_from_run_id IS NULL
      WHERE NOT r.live AND r.status <> 'CANCELLED'
      GROUP BY e.run_id, e.children HAVING count(c.run_id) <> e.children
      """),
  I4(
      "the steps of the path are settled once, as the model says",
      """
      SELECT format('%s of %s is settled %s times as %s instead of %s', e.step_key, e.run_id,
                    count(s.run_id), min(s.status), e.fate)
      FROM chaos.expected_steps e
      JOIN kagzi.finished_runs f ON f.run_id = e.run_id AND f.status <> 'CANCELLED'
      LEFT JOIN kagzi.step_runs s
        ON s.run_id = e.run_id AND s.step_key = e.step_key AND s.settled
      GROUP BY e.run_id, e.step_key, e.fate
      HAVING count(s.run_id) <> 1 OR e.fate <> 'SETTLED' AND min(s.status) <> e.fate
      """,
      """
      SELECT format('nobody expects %s of %s', s.step_key, s.run_id)
      FROM kagzi.step_runs s JOIN chaos.expected_runs r USING (run_id)
      JOIN chaos.runs a USING (run_id)
      LEFT JOIN chaos.expected_steps e USING (run_id, step_key)
      WHERE s.kind <> 'MARKER' AND e.run_id IS NULL
        AND NOT (a.status <> r.status AND s.compensation)
      """,
      """
      SELECT format('%s of %s has the epoch %s of a run at %s', s.step_key, s.run_id,
                    s.lease_epoch, r.lease_epoch)
      FROM kagzi.step_runs s JOIN chaos.runs r USING (run_id) WHERE s.lease_epoch > r.lease_epoch
      """),
  I5(
      "every effect happens, and not more often than it may",
      """
      SELECT format('%s of %s was never executed', e.step_key, e.run_id)
      FROM chaos.expected_steps e
      JOIN kagzi.finished_runs f ON f.run_id = e.run_id AND f.status <> 'CANCELLED'
      WHERE e.effect AND NOT EXISTS (
        SELECT FROM chaos.ledger l
        WHERE l.run_id = e.run_id AND l.step_key = e.step_key AND l.phase = 'BEGIN')
      """,
      """
      SELECT format('%s of %s is completed without its effect', s.step_key, s.run_id)
      FROM kagzi.step_runs s JOIN chaos.expected_steps e USING (run_id, step_key)
      WHERE s.kind = 'FUNCTION' AND s.status = 'COMPLETED' AND NOT EXISTS (
        SELECT FROM chaos.ledger l
        WHERE l.run_id = s.run_id AND l.step_key = s.step_key AND l.phase = 'END')
      """,
      """
      SELECT format('%s of %s may run once and ran %s times', e.step_key, e.run_id, count(*))
      FROM chaos.expected_steps e JOIN chaos.ledger l USING (run_id, step_key)
      WHERE e.fate = 'SETTLED' AND l.phase = 'BEGIN'
      GROUP BY e.run_id, e.step_key HAVING count(*) > 1
      """,
      """
      SELECT format('%s of %s ran %s times, with %s attempts in %s leases', l.step_key, l.run_id,
                    l.begun, s.attempts, r.lease_epoch)
      FROM (SELECT run_id, step_key, count(*) AS begun FROM chaos.ledger WHERE phase = 'BEGIN'
            GROUP BY run_id, step_key) l
      JOIN chaos.runs r USING (run_id)
      CROSS JOIN LATERAL (SELECT count(*) AS attempts FROM kagzi.step_runs s
                          WHERE s.run_id = l.run_id AND s.step_key = l.step_key) s
      WHERE l.begun > s.attempts + r.lease_epoch
         OR l.begun <> s.attempts AND r.lease_epoch = 1 AND r.status IN ('COMPLETED', 'FAILED')
      """,
      """
      SELECT format('%s of the cancelled run %s was not undone', l.step_key, l.run_id)
      FROM (SELECT DISTINCT run_id, step_key FROM chaos.ledger WHERE phase = 'END') l
      JOIN kagzi.finished_runs f ON f.run_id = l.run_id AND f.status = 'CANCELLED'
      CROSS JOIN LATERAL (SELECT regexp_replace(l.step_key, '-\\d+$', '') AS name) saga
      WHERE l.step_key ~ '^h\\d+-\\d+-\\d+$'
        AND (EXISTS (SELECT FROM kagzi.step_runs s
                     WHERE s.run_id = l.run_id AND s.compensation AND s.settled
                       AND s.step_key LIKE 'compensate:' || saga.name || '-%')
             -- It was not at its end, so it cannot have been closed otherwise.
             OR EXISTS (SELECT FROM chaos.expected_steps e
                        WHERE e.run_id = l.run_id AND e.step_key ~ ('^' || saga.name || '-\\d+$')
                          AND NOT EXISTS (SELECT FROM kagzi.step_runs s
                                          WHERE s.run_id = e.run_id AND s.step_key = e.step_key
                                            AND s.settled AND s.status = 'COMPLETED')))
        AND NOT EXISTS (SELECT FROM kagzi.step_runs s
                        WHERE s.run_id = l.run_id AND s.settled
                          AND s.step_key = 'compensate:' || l.step_key)
      """,
      """
      SELECT format('%s is %s and its sagas add up to %s, after %s leases: %s, %s (%s)', f.run_id,
                    f.status, saga.open, f.lease_epoch, COALESCE(f.error ->> 'kind', 'no error'),
                    COALESCE(f.error ->> 'message', 'no message'),
                    COALESCE(f.stop_reason, 'nobody asked it to stop'))
      FROM kagzi.finished_runs f
      CROSS JOIN LATERAL (SELECT sum(s.saga_change) AS open FROM kagzi.step_runs s
                          WHERE s.run_id = f.run_id AND s.settled AND s.superseded_at IS NULL) saga
      -- Who crashes again and again or takes too long to undo its work is ended where it is; so is
      -- who is terminated, which nobody is here.
      WHERE saga.open < 0
         OR saga.open > 0
            AND (f.error ->> 'kind' = 'CrashLoop'
                 OR f.error ->> 'message' = 'its compensations have not finished in time')
                IS NOT TRUE
      """),
  I6(
      "no step is recorded after the end of its run",
      """
      SELECT format('%s of %s', s.step_key, s.run_id)
      FROM kagzi.step_runs s JOIN kagzi.finished_runs f USING (run_id)
      WHERE pg_xact_commit_timestamp(s.xmin) > pg_xact_commit_timestamp(f.xmin)
      """,
      """
      SELECT format('%s is left of the ended run %s', x.step_key, x.run_id)
      FROM (SELECT run_id, step_key FROM kagzi.running_steps
            UNION ALL SELECT run_id, step_key FROM kagzi.run_waits) x
      JOIN kagzi.finished_runs USING (run_id)
      """),
  I7(
      "every tick of a schedule fires once",
      """
      SELECT format('%s has no tick at %s', t.run_id, tick)
      FROM kagzi.workflow_runs t, chaos.settings s,
           generate_series(date_trunc('second', t.created_at) + interval '1 s',
                           -- Who fires nothing at all shall be noticed too.
                           GREATEST(t.last_fired_at, s.ticks_until), interval '1 s') tick
      WHERE t.cron_expr IS NOT NULL AND NOT EXISTS (
        SELECT FROM kagzi.schedule_firings f WHERE f.schedule_id = t.run_id AND f.fire_at = tick)
      """,
      """
      SELECT format('tick %s of %s has no run', f.fire_at, f.schedule_id)
      FROM kagzi.schedule_firings f
      WHERE f.outcome = 'FIRED'
        AND NOT EXISTS (SELECT FROM chaos.runs r WHERE r.run_id = f.run_id)
      """,
      """
      SELECT format('run %s has no tick', r.run_id) FROM chaos.runs r
      WHERE r.schedule_group_id IS NOT NULL
        AND NOT EXISTS (SELECT FROM kagzi.schedule_firings f
                        WHERE f.run_id = r.run_id AND f.fire_at = r.fire_at)
      """,
      """
      SELECT format('%s fired %s times at %s', schedule_group_id, count(*), fire_at)
      FROM chaos.runs WHERE schedule_group_id IS NOT NULL
      GROUP BY schedule_group_id, fire_at HAVING count(*) > 1
      """),
  I8(
      "no sleep is shorter than it should be",
      """
      SELECT format('%s of %s ended at %s, before %s', step_key, run_id, finished_at, wake_at)
      FROM kagzi.step_runs WHERE kind = 'SLEEP' AND status = 'COMPLETED' AND finished_at < wake_at
      """,
      """
      SELECT format('%s of %s took %s instead of %s ms', n.step_key, n.run_id,
                    a.at - b.at, n.millis)
      FROM chaos.naps n
      CROSS JOIN LATERAL (SELECT min(at) AS at FROM chaos.ledger l WHERE l.run_id = n.run_id
                            AND l.step_key = n.step_key AND l.phase = 'BEFORE') b
      CROSS JOIN LATERAL (SELECT min(at) AS at FROM chaos.ledger l WHERE l.run_id = n.run_id
                            AND l.step_key = n.step_key AND l.phase = 'AFTER') a
      -- The engine's time may lag behind by what a sample of the database's clock takes.
      WHERE a.at - b.at < n.millis * interval '1 ms' - interval '1 s'
      """),
  I9(
      "no lease is longer than a lease, and none stays when it has run out",
      """
      SELECT format('%s is leased until %s, and it is %s', run_id, lease_until, now())
      FROM kagzi.workflow_runs, chaos.settings
      WHERE status = 'RUNNING' AND lease_until > now() + 2 * lease
      """,
      """
      SELECT format('%s was leased until %s, and it is %s', run_id, lease_until, now())
      FROM kagzi.workflow_runs
      WHERE status = 'RUNNING' AND lease_until < now() - interval '5 s'
      """),
  I10(
      "an id means one run",
      """
      SELECT 'live twice: ' || external_id FROM chaos.runs WHERE live AND external_id IS NOT NULL
      GROUP BY namespace_id, external_id HAVING count(*) > 1
      """,
      """
      SELECT format('%s was answered with %s', a.key, string_agg(DISTINCT r.root::text, ' and '))
      FROM chaos.acks a JOIN chaos.roots r USING (run_id) WHERE a.kind = 'START'
      GROUP BY a.key HAVING count(DISTINCT r.root) > 1
      """),
  I11(
      "attempts, failures and crashes are counted as they happen",
      """
      SELECT format('%s crashed %s times in a row and lives', run_id, crashes_in_row)
      FROM kagzi.workflow_runs, chaos.settings WHERE crashes_in_row > recoveries
      """,
      """
      SELECT format('%s lost %s leases of %s and failed %s times', r.run_id, r.crashes,
                    r.lease_epoch, r.failures)
      FROM chaos.runs r JOIN chaos.expected_runs e USING (run_id)
      WHERE r.crashes > r.lease_epoch OR r.failures > 1
         OR r.failures > 0 AND r.status = 'COMPLETED'
      """,
      """
      SELECT format('%s of %s failed %s times instead of %s', e.step_key, e.run_id,
                    count(s.run_id), e.failures)
      FROM chaos.expected_steps e
      JOIN kagzi.finished_runs f ON f.run_id = e.run_id AND f.status <> 'CANCELLED'
      LEFT JOIN kagzi.step_runs s
        ON s.run_id = e.run_id AND s.step_key = e.step_key AND s.status = 'FAILED'
      WHERE e.exactly AND e.effect
      GROUP BY e.run_id, e.step_key, e.failures HAVING count(s.run_id) <> e.failures
      """,
      """
      SELECT format('%s of %s has %s attempts and the last is number %s', step_key, run_id,
                    count(*), max(attempt))
      FROM kagzi.step_runs GROUP BY run_id, step_key HAVING max(attempt) <> count(*)
      """),
  I12(
      "nothing belongs to two namespaces",
      """
      SELECT format('%s and its parent %s', c.run_id, p.run_id)
      FROM chaos.runs c JOIN chaos.runs p ON p.run_id = c.parent_run_id
      WHERE c.namespace_id <> p.namespace_id
      """,
      """
      SELECT format('%s and its schedule %s', r.run_id, t.run_id)
      FROM chaos.runs r JOIN kagzi.workflow_runs t ON t.run_id = r.schedule_group_id
      WHERE r.namespace_id <> t.namespace_id
      """,
      """
      SELECT format('%s and its event %s', r.run_id, e.event_name)
      FROM chaos.runs r JOIN kagzi.run_events e USING (run_id)
      WHERE r.namespace_id <> e.namespace_id
      """),
  I13(
      "what was acknowledged is there",
      """
      SELECT format('event %s of %s', a.detail, a.run_id) FROM chaos.acks a
      WHERE a.kind = 'EVENT' AND NOT EXISTS (
        SELECT FROM kagzi.run_events e
        WHERE e.run_id = a.run_id AND e.idempotency_key = 'key-' || a.detail)
      """,
      """
      SELECT format('the cancel of %s, which is %s', a.run_id, string_agg(r.status, ', '))
      FROM chaos.acks a JOIN chaos.roots o USING (run_id) JOIN chaos.roots c USING (root)
      JOIN chaos.runs r ON r.run_id = c.run_id
      WHERE a.kind = 'CANCEL' AND a.detail = 'CANCELLED'
      GROUP BY a.run_id HAVING NOT bool_or(r.status = 'CANCELLED')
      """,
      """
      SELECT format('the stop of %s, which is %s and has never heard of it', a.run_id,
                    string_agg(r.status, ', '))
      FROM chaos.acks a JOIN chaos.roots o USING (run_id) JOIN chaos.roots c USING (root)
      JOIN chaos.runs r ON r.run_id = c.run_id
      LEFT JOIN kagzi.finished_runs f ON f.run_id = r.run_id
      WHERE a.kind = 'CANCEL' AND a.detail = 'STOP_REQUESTED'
      GROUP BY a.run_id
      -- A saga may come to its end before its worker hears of the stop, and so may the run.
      HAVING NOT bool_or(r.status = 'CANCELLED' OR f.stop_reason IS NOT NULL)
      """,
      """
      SELECT format('the result of %s', a.run_id)
      FROM chaos.acks a JOIN chaos.runs r USING (run_id)
      WHERE a.kind = 'RESULT' AND r.continued_as_run_id IS NULL
        AND a.detail <> CASE WHEN r.status = 'COMPLETED'
                             THEN convert_from(r.output, 'UTF8')::jsonb #>> '{}' ELSE r.status END
      """,
      """
      SELECT format('step %s of %s', l.step_key, l.run_id) FROM chaos.ledger l
      WHERE l.phase = 'ACK' AND NOT EXISTS (
        SELECT FROM kagzi.step_runs s
        WHERE s.run_id = l.run_id AND s.step_key = l.step_key AND s.settled)
      """),
  I14(
      "who has lost a run writes nothing more",
      """
      SELECT format('%s of %s was written under epoch %s, which had ended', s.step_key, s.run_id,
                    s.lease_epoch)
      FROM kagzi.step_runs s
      JOIN chaos.holds h ON h.run_id = s.run_id AND h.epoch = s.lease_epoch AND h.ended
      WHERE s.kind IN ('FUNCTION', 'MARKER') AND s.status IN ('COMPLETED', 'FAILED')
        AND s.superseded_at IS NULL
        AND s.xmin <> h.by AND pg_xact_commit_timestamp(s.xmin) > h.at
      """,
      """
      SELECT format('%s has epoch %s, which nobody has claimed', r.run_id, r.lease_epoch)
      FROM chaos.runs r
      WHERE r.lease_epoch > 0 AND NOT EXISTS (
        SELECT FROM chaos.holds h
        WHERE h.run_id = r.run_id AND h.epoch = r.lease_epoch AND NOT h.ended)
      """,
      """
      SELECT format('epoch %s of %s was handed out %s times', epoch, run_id, count(*))
      FROM chaos.holds WHERE NOT ended GROUP BY run_id, epoch HAVING count(*) > 1
      """);

  private final String sentence;

  @SuppressWarnings("ImmutableEnumChecker") // Made by List.of.
  private final List<String> queries;

  Invariant(String sentence, String... queries) {
    this.sentence = sentence;
    this.queries = List.of(queries);
  }

  List<String> queries() {
    return queries;
  }

  /** Its first statement, where that must find nothing at any moment, and not only at the end. */
  String always() {
    return queries.getFirst();
  }

  /** Leases that nobody has taken back: none, once everything has been well for a while. */
  static String leftOver() {
    return I9.queries.getLast();
  }

  @Override
  public String toString() {
    return name() + " (" + sentence + ")";
  }
}
