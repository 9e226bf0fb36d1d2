package dev.kagzi.engine.store;

import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.engine.jdbc.Transaction;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;

/**
 * The daily partitions of history. Names and bounds cannot be parameters of DDL, so this class
 * assembles its text, from dates and constants only.
 */
public final class PartitionStore {

  /** The tables that grow with every run; all are cut at the same days. */
  private static final List<String> PARENTS =
      List.of("finished_runs", "workflow_payloads", "step_runs");

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
    tx.query(
            "ALTER TABLE kagzi.%s ATTACH PARTITION kagzi.%s FOR VALUES FROM ('%s') TO ('%s')"
                .formatted(parent, name, border(day), border(day.plusDays(1))))
        .execute();
  }

  private static String nameOf(String parent, LocalDate day) {
    return parent + "_" + day.format(DateTimeFormatter.BASIC_ISO_DATE);
  }

  private static String border(LocalDate day) {
    return TimeOrderedIds.floor(day.atStartOfDay(ZoneOffset.UTC).toInstant()).toString();
  }
}
