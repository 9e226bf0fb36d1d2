package dev.kagzi.cli.doctor;

import dev.kagzi.cli.output.Lengths;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.store.DiagnosisStore;
import dev.kagzi.server.ServerDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Looks at what only the database itself can tell. */
final class DatabaseChecks {
  private static final Duration LONG_TRANSACTION = Duration.ofMinutes(5);
  private static final long MANY_DEAD_ROWS = 10_000;

  /** What a claim's scan touches at most while its index is in order, with much to spare. */
  private static final long MANY_PAGES = 5 * DiagnosisStore.CLAIMED_AT_ONCE;

  private static final int STEPS = 10_000;

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
              var table = store.hotTable(tx);
              if (table.isPresent()) {
                findings.add(claimPlan(store.claimPlan(tx)));
                findings.add(hotTable(table.get()));
                findings.add(steps(store.stepPayloads(tx, Sizes.LARGE_PAYLOAD, STEPS)));
              }
              findings.add(transactions(store.oldestTransaction(tx)));
              findings.add(isolation(store.defaultIsolation(tx)));
              findings.add(disk(store.databaseBytes(tx), DataDisk.of(store.postmaster(tx))));
              return findings;
            }));
  }

  static Finding claimIndex(boolean there, long broken) {
    if (!there) {
      return Finding.problem(
          "the index workflow_runs_ready is missing and every claim reads all runs;"
              + " kagzi db status shows the schema");
    }
    return broken > 0
        ? Finding.problem(
            "indexes of schema kagzi that are not valid: %d; REINDEX SCHEMA kagzi"
                .formatted(broken))
        : Finding.ok("claims have their index workflow_runs_ready, and all indexes are valid");
  }

  private static Finding claimPlan(Optional<DiagnosisStore.ClaimPlan> seen) {
    if (seen.isEmpty()) {
      return Finding.unknown(
          "the plan of a claim was not looked at, because no run waits; look again when some do");
    }
    var plan = seen.get();
    var text =
        "looking for %d due runs of %s takes %s, %d pages and %d µs"
            .formatted(
                DiagnosisStore.CLAIMED_AT_ONCE,
                plan.workflowType(),
                plan.index().map(name -> "the index " + name).orElse("no index"),
                plan.pages(),
                plan.took().toNanos() / 1000);
    return plan.pages() > MANY_PAGES
        ? Finding.warning(
            text
                + " (expected: the index workflow_runs_ready and at most %d pages);"
                    .formatted(MANY_PAGES)
                + " end long transactions, then VACUUM (ANALYZE) kagzi.workflow_runs")
        : Finding.ok(text);
  }

  static Finding hotTable(DiagnosisStore.HotTable table) {
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

  private static Finding steps(DiagnosisStore.StepPayloads steps) {
    var limit = Sizes.words(Sizes.LARGE_PAYLOAD);
    return steps.large() > 0
        ? Finding.warning(
            "%d of the newest %d attempts of steps have an input or output over %s, the largest %s in run %s;"
                    .formatted(
                        steps.large(),
                        steps.attempts(),
                        limit,
                        Sizes.words(steps.largestBytes()),
                        steps.largestRun().map(UUID::toString).orElse(""))
                + " keep what is large elsewhere and return where it is")
        : Finding.ok(
            "none of the newest %d attempts of steps has an input or output over %s"
                .formatted(steps.attempts(), limit));
  }

  static Finding transactions(Duration oldest) {
    var text = "the oldest transaction is under way for " + Lengths.exact(oldest);
    return oldest.compareTo(LONG_TRANSACTION) > 0
        ? Finding.warning(
            text + ", and nothing that died since can be vacuumed; pg_stat_activity names it")
        : Finding.ok(text);
  }

  /** Servers ask for READ COMMITTED themselves; applications that embed one may not. */
  static Finding isolation(String isolation) {
    return isolation.equals("read committed")
        ? Finding.ok("transactions are READ COMMITTED unless they ask for more")
        : Finding.warning(
            "default_transaction_isolation is %s; an application that embeds Kagzi must ask for READ COMMITTED"
                .formatted(isolation));
  }

  static Finding disk(long bytes, Optional<DataDisk> disk) {
    var text = "the database takes %s of disk".formatted(Sizes.words(bytes));
    if (disk.isEmpty()) {
      return Finding.unknown(
          text
              + "; how much is free was not looked at, because that disk cannot be seen from here");
    }
    var free = "%s, and %s are free".formatted(text, disk.get().words());
    return disk.get().isNearlyFull()
        ? Finding.warning(free + "; make room, or nothing can be committed")
        : Finding.ok(free);
  }
}
