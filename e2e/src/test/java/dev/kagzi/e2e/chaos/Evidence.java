package dev.kagzi.e2e.chaos;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.postgresql.copy.CopyManager;
import org.postgresql.core.BaseConnection;

/**
 * What is known from outside of Kagzi, laid beside its tables in a schema of its own, so that
 * {@link Invariant} can compare the two in SQL: the ledger, the client's log, and what the model
 * expects of every run.
 */
record Evidence(String database) {

  private static final String SCHEMA =
      """
      CREATE SCHEMA chaos;
      CREATE TABLE chaos.settings (
        lease interval NOT NULL, recoveries int NOT NULL, ticks_until timestamptz);
      CREATE TABLE chaos.ledger (
        position bigint, run_id uuid, step_key text COLLATE "C", phase text, pid bigint,
        at timestamptz);
      CREATE TABLE chaos.acks (kind text, key text, run_id uuid, detail text);
      CREATE TABLE chaos.expected_runs (
        run_id uuid PRIMARY KEY, status text, output text, continues boolean, children int,
        stoppable boolean);
      CREATE TABLE chaos.expected_steps (
        run_id uuid, step_key text COLLATE "C", fate text, failures int, exactly boolean,
        effect boolean, PRIMARY KEY (run_id, step_key));
      CREATE TABLE chaos.naps (run_id uuid, step_key text COLLATE "C", millis int);
      CREATE TABLE chaos.changes (run_id uuid, what text);
      CREATE TABLE chaos.holds (run_id uuid, epoch int, ended boolean, at timestamptz, by xid);

      CREATE FUNCTION chaos.note_change() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN
             INSERT INTO chaos.changes VALUES (OLD.run_id, TG_OP);
             RETURN NULL;
           END $$;
      CREATE TRIGGER history_changes AFTER UPDATE OR DELETE ON kagzi.finished_runs
        FOR EACH ROW EXECUTE FUNCTION chaos.note_change();

      -- Not now(): a transaction may begin long before it gets the run's lock.
      CREATE FUNCTION chaos.note_hold() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN
             IF OLD.status = 'RUNNING' THEN
               INSERT INTO chaos.holds VALUES (OLD.run_id, OLD.lease_epoch, true,
                                               clock_timestamp(), pg_current_xact_id()::xid);
             END IF;
             IF NEW.lease_epoch > OLD.lease_epoch THEN
               INSERT INTO chaos.holds VALUES (NEW.run_id, NEW.lease_epoch, false,
                                               clock_timestamp(), pg_current_xact_id()::xid);
             END IF;
             RETURN NULL;
           END $$;
      CREATE TRIGGER holds AFTER UPDATE ON kagzi.workflow_runs FOR EACH ROW
        WHEN (NEW.lease_epoch > OLD.lease_epoch
              OR OLD.status = 'RUNNING' AND NEW.status <> 'RUNNING')
        EXECUTE FUNCTION chaos.note_hold();

      CREATE VIEW chaos.runs AS
        SELECT run_id, namespace_id, external_id, workflow_type, status, true AS live, lease_epoch,
               failures, crashes, parent_run_id, schedule_group_id, fire_at,
               continued_from_run_id, NULL::uuid AS continued_as_run_id, NULL::bytea AS output
        FROM kagzi.workflow_runs WHERE cron_expr IS NULL
        UNION ALL
        SELECT run_id, namespace_id, external_id, workflow_type, status, false, lease_epoch,
               failures, crashes, parent_run_id, schedule_group_id, fire_at,
               continued_from_run_id, continued_as_run_id, output
        FROM kagzi.finished_runs;
      CREATE VIEW chaos.roots AS
        WITH RECURSIVE chain AS (
          SELECT run_id, run_id AS root FROM chaos.runs WHERE continued_from_run_id IS NULL
          UNION ALL
          SELECT r.run_id, c.root
          FROM chaos.runs r JOIN chain c ON r.continued_from_run_id = c.run_id)
        SELECT * FROM chain;
      """;

  private static final String JOBS =
      """
      SELECT run_id, (job ->> 'seed')::bigint, (job ->> 'hop')::int, (job ->> 'depth')::int,
             (job ->> 'stoppable')::boolean, job ->> 'secret'
      FROM (SELECT r.run_id, convert_from(p.input, 'UTF8')::jsonb AS job
            FROM chaos.runs r JOIN kagzi.workflow_payloads p USING (run_id)
            WHERE r.workflow_type = 'chaos-program') jobs
      """;

  /** Makes the tables, and begins to watch history for changes and who holds runs. */
  void begin(int leaseSeconds, int recoveries) throws SQLException {
    try (var connection = connect();
        var statement = connection.createStatement()) {
      statement.execute(SCHEMA);
      statement.execute(
          "INSERT INTO chaos.settings (lease, recoveries) VALUES (interval '%d s', %d)"
              .formatted(leaseSeconds, recoveries));
    }
  }

  /** Every schedule must have fired for all ticks up to here. */
  void expectTicksUntil(Instant moment) throws SQLException {
    try (var connection = connect();
        var statement = connection.prepareStatement("UPDATE chaos.settings SET ticks_until = ?")) {
      statement.setObject(1, moment.atOffset(ZoneOffset.UTC));
      statement.executeUpdate();
    }
  }

  /** Brings in everything that is known, once nothing changes any more. */
  void collect(String ledgerDatabase, List<Customer.Ack> acks) throws SQLException, IOException {
    try (var connection = connect();
        var ledger = DriverManager.getConnection(ledgerDatabase)) {
      copyLedger(ledger, connection);
      copyIn(connection, "chaos.acks", text(acks));
      expect(connection);
      try (var statement = connection.createStatement()) {
        statement.execute(
            """
            CREATE INDEX ON chaos.ledger (run_id, step_key);
            CREATE INDEX ON chaos.acks (run_id);
            CREATE INDEX ON chaos.holds (run_id, epoch);
            ANALYZE;
            """);
      }
    }
  }

  /** By way of a file: the ledger of a long run does not fit into memory. */
  private static void copyLedger(Connection from, Connection to) throws SQLException, IOException {
    var file = Files.createTempFile("chaos-ledger", ".tsv");
    try {
      try (var out = Files.newOutputStream(file)) {
        copy(from).copyOut("COPY ledger TO STDOUT", out);
      }
      try (var in = Files.newInputStream(file)) {
        copy(to).copyIn("COPY chaos.ledger FROM STDIN", in);
      }
    } finally {
      Files.delete(file);
    }
  }

  private static String text(List<Customer.Ack> acks) {
    var rows = new StringBuilder();
    acks.forEach(ack -> row(rows, ack.kind(), ack.key(), ack.runId(), ack.detail()));
    return rows.toString();
  }

  /** What the model says about each run that exists, whoever started it. */
  private static void expect(Connection connection) throws SQLException, IOException {
    var runs = new StringBuilder();
    var steps = new StringBuilder();
    var naps = new StringBuilder();
    try (var statement = connection.createStatement();
        var rows = statement.executeQuery(JOBS)) {
      while (rows.next()) {
        var run = rows.getObject(1, UUID.class);
        expect(
            run,
            new Job(
                rows.getLong(2),
                rows.getInt(3),
                rows.getInt(4),
                rows.getBoolean(5),
                rows.getString(6)),
            runs,
            steps,
            naps);
      }
    }
    copyIn(connection, "chaos.expected_runs", runs.toString());
    copyIn(connection, "chaos.expected_steps", steps.toString());
    copyIn(connection, "chaos.naps", naps.toString());
  }

  private static void expect(
      UUID run, Job job, StringBuilder runs, StringBuilder steps, StringBuilder naps) {
    Model model = Model.of(job);
    String output = model.output();
    row(
        runs,
        run,
        model.status(),
        output == null ? null : '"' + output + '"',
        model.continues(),
        model.children(),
        job.stoppable());
    model
        .steps()
        .forEach((key, step) ->
            row(steps, run, key, step.fate(), step.failures(), step.exactly(), step.effect()));
    for (Op op : Program.of(job).ops()) {
      if (op instanceof Op.Nap nap) {
        row(naps, run, nap.name(), nap.millis());
      }
    }
  }

  private static void row(StringBuilder rows, @Nullable Object... values) {
    for (int column = 0; column < values.length; column++) {
      Object value = values[column];
      rows.append(column == 0 ? "" : "\t").append(value == null ? "\\N" : value);
    }
    rows.append('\n');
  }

  private static void copyIn(Connection connection, String table, String rows)
      throws SQLException, IOException {
    copy(connection).copyIn("COPY " + table + " FROM STDIN", new StringReader(rows));
  }

  private static CopyManager copy(Connection connection) throws SQLException {
    return new CopyManager(connection.unwrap(BaseConnection.class));
  }

  private Connection connect() throws SQLException {
    return DriverManager.getConnection(database);
  }
}
