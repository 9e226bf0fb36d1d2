package dev.kagzi.engine.store;

import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.jdbc.Transaction;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * The daily partitions of history. Names and bounds cannot be parameters of DDL, so this class
 * assembles its text, from dates and constants only.
 */
public final class PartitionStore {

  /** The tables that grow with every run; all are cut at the same days. */
  private static final List<String> PARENTS =
      List.of("finished_runs", "workflow_payloads", "step_runs");

  /** The one by which runs are found: without it the rows of the others mean nothing. */
  private static final String RUNS = PARENTS.get(0);

  private static final String LOCK =
      "SELECT pg_advisory_xact_lock(hashtext('kagzi partitions')) IS NULL AS locked";

  private static final String NAMES =
      """
      SELECT c.relname
      FROM pg_inherits i
      JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = ('kagzi.' || :parent)::regclass
      """;

  /**
   * Makes the partitions of a day unless they exist. Each is made as a table and then attached,
   * which keeps readers and writers of the parent going.
   */
  public void createDay(Transaction tx, LocalDate day) {
    // Two servers at midnight would only get in each other's way; the lock saves them the error.
    tx.query(LOCK).list(row -> row.bool("locked"));
    for (String parent : PARENTS) {
      if (!names(tx, parent).contains(nameOf(parent, day))) {
        create(tx, parent, day);
      }
    }
  }

  private static List<String> names(Transaction tx, String parent) {
    return tx.query(NAMES).set("parent", parent).list(row -> row.text("relname"));
  }

  private static void create(Transaction tx, String parent, LocalDate day) {
    String name = nameOf(parent, day);
    tx.query(
            """
            CREATE TABLE kagzi.%s (LIKE kagzi.%s INCLUDING ALL)
            WITH (autovacuum_vacuum_insert_scale_factor = 0.05)
            """
                .formatted(name, parent))
        .execute();
    attach(tx, parent, day);
  }

  private static void attach(Transaction tx, String parent, LocalDate day) {
    tx.query(
            "ALTER TABLE kagzi.%s ATTACH PARTITION kagzi.%s FOR VALUES FROM ('%s') TO ('%s')"
                .formatted(parent, nameOf(parent, day), border(day), border(day.plusDays(1))))
        .execute();
  }

  /** One of the tables of a day: part of history, on its way out, or out. */
  private enum Place {
    ATTACHED,
    LEAVING,
    DETACHED
  }

  private record Table(String name, Place place) {}

  private static final String TABLES =
      """
      SELECT c.relname, i.inhrelid IS NOT NULL AS attached,
             COALESCE(i.inhdetachpending, false) AS leaving
      FROM pg_class c
      LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
      WHERE c.relnamespace = 'kagzi'::regnamespace AND c.relkind = 'r'
        AND c.relname ~ ('^(' || :parents || ')_[0-9]{8}$')
      ORDER BY c.relname
      """;

  private static List<Table> tables(Transaction tx) {
    return tx.query(TABLES)
        .set("parents", String.join("|", PARENTS))
        .list(row -> {
          Place attached = row.bool("leaving") ? Place.LEAVING : Place.ATTACHED;
          return new Table(row.text("relname"), row.bool("attached") ? attached : Place.DETACHED);
        });
  }

  /** The days that have tables, oldest first. */
  public List<LocalDate> days(Transaction tx) {
    return tables(tx).stream().map(table -> dayOf(table.name())).distinct().sorted().toList();
  }

  /** The days of which some table is no longer part of history: their removal was begun. */
  public Set<LocalDate> leaving(Transaction tx) {
    return tables(tx).stream()
        .filter(table -> table.place() != Place.ATTACHED)
        .map(table -> dayOf(table.name()))
        .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * Takes one table of a day out of history while others read and write there, or finishes what was
   * begun. Cannot be part of a transaction.
   */
  private static void detach(Database database, String parent, LocalDate day) {
    String name = nameOf(parent, day);
    List<Table> all = database.inTransaction(PartitionStore::tables);
    for (Table table : all) {
      if (table.name().equals(name) && table.place() != Place.DETACHED) {
        database.alone(
            "ALTER TABLE kagzi.%s DETACH PARTITION kagzi.%s %s"
                .formatted(
                    parent, name, table.place() == Place.LEAVING ? "FINALIZE" : "CONCURRENTLY"));
      }
    }
  }

  /** Takes the runs of a day out of history: nothing can find them from here on. */
  public void detachRuns(Database database, LocalDate day) {
    detach(database, RUNS, day);
  }

  /** Puts the runs of a day back. */
  public void attachRuns(Transaction tx, LocalDate day) {
    attach(tx, RUNS, day);
  }

  /** Removes all tables of a day, whose runs are no longer part of history. */
  public void drop(Database database, LocalDate day) {
    for (String parent : PARENTS) {
      detach(database, parent, day);
    }
    database.inTransaction(tx -> {
      PARENTS.forEach(
          parent -> tx.query("DROP TABLE IF EXISTS kagzi." + nameOf(parent, day)).execute());
      return true;
    });
  }

  private static LocalDate dayOf(String table) {
    return LocalDate.parse(
        table.substring(table.lastIndexOf('_') + 1), DateTimeFormatter.BASIC_ISO_DATE);
  }

  private static String nameOf(String parent, LocalDate day) {
    return parent + "_" + day.format(DateTimeFormatter.BASIC_ISO_DATE);
  }

  /** The smallest id of a run that was started on a day or later. */
  public static UUID border(LocalDate day) {
    return TimeOrderedIds.floor(day.atStartOfDay(ZoneOffset.UTC).toInstant());
  }
}
