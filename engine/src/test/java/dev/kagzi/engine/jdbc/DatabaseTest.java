package dev.kagzi.engine.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.postgres.SharedPostgres;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DatabaseTest {

  private final HikariDataSource dataSource = serializable();
  private final Database database = new Database(dataSource);

  private static HikariDataSource serializable() {
    HikariConfig pool = new HikariConfig();
    pool.setJdbcUrl(SharedPostgres.freshDatabase());
    pool.setTransactionIsolation("TRANSACTION_SERIALIZABLE");
    pool.setMaximumPoolSize(4);
    return new HikariDataSource(pool);
  }

  @AfterEach
  void close() {
    dataSource.close();
  }

  @Test
  void isolatesAsTheEngineNeedsItWhateverTheApplicationChose() {
    for (int i = 0; i < 3; i++) {
      String level =
          database.inTransaction(tx ->
              tx.query("SHOW transaction_isolation")
                  .only(row -> row.text("transaction_isolation")));

      assertThat(level).isEqualTo("read committed");
    }
  }

  @Test
  void bindsByNameAndLeavesCastsAlone() {
    UUID id = UUID.randomUUID();

    List<String> rows =
        database.inTransaction(tx ->
            tx.query("SELECT (:id::uuid)::text || :text AS text, :id::uuid AS again")
                .set("id", id)
                .set("text", "!")
                .list(row -> row.text("text") + row.uuid("again")));

    assertThat(rows).containsExactly(id + "!" + id);
  }

  /** A statement that is first planned on an empty table must not read all of a large one later. */
  @Test
  void readsByIndexHoweverSmallATableWasWhenAStatementWasPlanned() {
    execute("CREATE TABLE numbers (n int PRIMARY KEY) WITH (autovacuum_enabled = off)");
    Database often = database.keepingPlans();
    for (int i = 0; i < 10; i++) {
      often.inTransaction(tx -> findNumbers(tx));
    }
    execute("INSERT INTO numbers SELECT generate_series(1, 20000)");

    assertThat(often.inTransaction(DatabaseTest::rowsReadInVain)).isZero();
  }

  /** All statements of a test that does nothing beside itself use one connection of the pool. */
  @Test
  void dropsPlansThatAreSomeSecondsOld() {
    execute("CREATE TABLE numbers (n int PRIMARY KEY) WITH (autovacuum_enabled = off)");
    execute("INSERT INTO numbers SELECT generate_series(1, 20000)");
    Database often = database.keepingPlans();
    set("enable_indexonlyscan", "off");
    for (int i = 0; i < 10; i++) {
      often.inTransaction(tx -> findNumbers(tx));
    }
    set("enable_indexonlyscan", "on");
    String beforeRenewal = often.inTransaction(DatabaseTest::planOfNumbers);
    set("plans.kept_since", "2000-01-01");
    often.inTransaction(tx -> findNumbers(tx));

    String afterRenewal = often.inTransaction(DatabaseTest::planOfNumbers);

    assertThat(beforeRenewal).startsWith("Index Scan");
    assertThat(afterRenewal).startsWith("Index Only Scan");
  }

  /** The first line of the plan that the connection keeps. */
  private static String planOfNumbers(Transaction tx) {
    String statement =
        tx.query("SELECT name FROM pg_prepared_statements WHERE statement LIKE '%FROM numbers%'")
            .only(row -> row.text("name"));
    return tx.assembled("EXPLAIN EXECUTE \"" + statement + "\"('{3,4}')")
        .list(row -> row.text("QUERY PLAN"))
        .get(0);
  }

  private void set(String name, String value) {
    database.inTransaction(tx ->
        tx.query("SELECT set_config(:name, :value, false) AS now")
            .set("name", name)
            .set("value", value)
            .only(row -> row.text("now")));
  }

  private static long rowsReadInVain(Transaction tx) {
    findNumbers(tx);
    return tx.query(
            "SELECT seq_tup_read AS n FROM pg_stat_xact_user_tables WHERE relname = 'numbers'")
        .only(row -> row.bigint("n"));
  }

  private static List<Integer> findNumbers(Transaction tx) {
    return tx.query("SELECT n FROM numbers WHERE n = ANY(:wanted::int4[])")
        .ints("wanted", List.of(3, 4), n -> n)
        .list(row -> row.integer("n"));
  }

  @Test
  void leavesTheConnectionPlanningAsItsOwnerWishes() {
    String planning =
        "SELECT concat_ws(' ', current_setting('enable_seqscan'),"
            + " current_setting('enable_hashjoin'), current_setting('enable_mergejoin'),"
            + " current_setting('enable_sort'), current_setting('plan_cache_mode')) AS text";

    String during =
        database.keepingPlans().inTransaction(tx -> tx.query(planning).only(r -> r.text("text")));
    String after = inPlainJdbc(planning);

    assertThat(during).isEqualTo("off off off off force_generic_plan");
    assertThat(after).isEqualTo("on on on on auto");
  }

  private void execute(String statement) {
    database.inTransaction(tx -> {
      tx.query(statement).execute();
      return null;
    });
  }

  private String inPlainJdbc(String query) {
    try (var connection = dataSource.getConnection();
        var statement = connection.createStatement();
        var results = statement.executeQuery(query)) {
      results.next();
      return results.getString(1);
    } catch (SQLException failure) {
      throw new IllegalStateException(failure);
    }
  }

  @Test
  void repeatsATransactionWhoseConnectionWasLost() {
    AtomicInteger tries = new AtomicInteger();

    int answer =
        database.inTransaction(tx -> {
          if (tries.incrementAndGet() < 3) {
            tx.query("SELECT pg_terminate_backend(pg_backend_pid()) AS gone")
                .list(row -> row.bool("gone"));
          }
          return tx.query("SELECT 7 AS n").only(row -> row.integer("n"));
        });

    assertThat(answer).isEqualTo(7);
    assertThat(tries).hasValue(3);
  }

  /** As it is with a server that was paused in the middle of a transaction. */
  @Test
  void repeatsATransactionThatStoodStillForTooLong() {
    AtomicInteger tries = new AtomicInteger();

    int answer =
        database.inTransaction(tx -> {
          if (tries.incrementAndGet() == 1) {
            tx.query("SET LOCAL idle_in_transaction_session_timeout = 20").update();
            int pid = tx.query("SELECT pg_backend_pid() AS pid").only(row -> row.integer("pid"));
            await().until(() -> isGone(pid));
          }
          return tx.query("SELECT 7 AS n").only(row -> row.integer("n"));
        });

    assertThat(answer).isEqualTo(7);
    assertThat(tries).hasValue(2);
  }

  private boolean isGone(int pid) {
    return database.inTransaction(tx ->
        tx.query("SELECT count(*) = 0 AS gone FROM pg_stat_activity WHERE pid = :pid")
            .set("pid", pid)
            .only(row -> row.bool("gone")));
  }

  @Test
  void undoesEverythingWhenTheBodyFails() {
    database.inTransaction(tx -> tx.query("CREATE TABLE t (n int)").update());

    assertThatThrownBy(() ->
            database.inTransaction(tx -> {
              tx.query("INSERT INTO t VALUES (1)").update();
              throw new IllegalStateException("no");
            }))
        .isInstanceOf(IllegalStateException.class);

    long rows =
        database.inTransaction(
            tx -> tx.query("SELECT count(*) AS n FROM t").only(row -> row.bigint("n")));
    assertThat(rows).isZero();
  }
}
