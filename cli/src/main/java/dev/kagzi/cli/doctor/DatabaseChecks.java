package dev.kagzi.cli.doctor;

import dev.kagzi.cli.output.Lengths;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.store.DiagnosisStore;
import dev.kagzi.server.ServerDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Looks at what only the database itself can tell. */
final class DatabaseChecks {
  private static final Duration LONG_TRANSACTION = Duration.ofMinutes(5);
  private static final long MANY_DEAD_ROWS = 10_000;

  private final ServerDatabase database;
  private final DiagnosisStore store = new DiagnosisStore();

  DatabaseChecks(ServerDatabase database) {
    this.database = database;
  }

  List<Finding> look() {
    return database.ask(source ->
        new Database(source)
            .once(tx -> {
              var findings = new ArrayList<Finding>();
              findings.add(claimIndex(store.hasClaimIndex(tx), store.brokenIndexes(tx)));
              store.hotTable(tx).ifPresent(table -> findings.add(hotTable(table)));
              findings.add(transactions(store.oldestTransaction(tx)));
              findings.add(isolation(store.defaultIsolation(tx)));
              return findings;
            }));
  }

  private static Finding claimIndex(boolean there, long broken) {
    if (!there) {
      return Finding.problem(
          "the index workflow_runs_ready is missing and every claim reads all runs;"
              + " kagzi db status shows the schema");
    }
    return broken > 0
        ? Finding.problem(broken + " indexes of schema kagzi are not valid; REINDEX SCHEMA kagzi")
        : Finding.ok("claims have their index workflow_runs_ready, and all indexes are valid");
  }

  private static Finding hotTable(DiagnosisStore.HotTable table) {
    var text =
        "workflow_runs has %d live and %d dead rows, last vacuumed %s"
            .formatted(
                table.liveRows(),
                table.deadRows(),
                table.vacuumed().map(age -> Lengths.exact(age) + " ago").orElse("never"));
    return table.deadRows() > MANY_DEAD_ROWS && table.deadRows() > table.liveRows()
        ? Finding.warning(
            text + "; look for long transactions, or make autovacuum of this table more eager")
        : Finding.ok(text);
  }

  private static Finding transactions(Duration oldest) {
    var text = "the oldest transaction is under way for " + Lengths.exact(oldest);
    return oldest.compareTo(LONG_TRANSACTION) > 0
        ? Finding.warning(
            text + ", and nothing that died since can be vacuumed; pg_stat_activity names it")
        : Finding.ok(text);
  }

  /** Servers ask for READ COMMITTED themselves; applications that embed one may not. */
  private static Finding isolation(String isolation) {
    return isolation.equals("read committed")
        ? Finding.ok("transactions are READ COMMITTED unless they ask for more")
        : Finding.warning(
            "default_transaction_isolation is %s; an application that embeds Kagzi must ask for READ COMMITTED"
                .formatted(isolation));
  }
}
