package dev.kagzi.engine.mutation;

import dev.kagzi.engine.TestEngine;
import dev.kagzi.postgres.SharedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Runs the tests of many mutants, and of the code as it is, some at a time. */
final class Laboratory implements AutoCloseable {

  /** They wait for the database most of the time. */
  private static final int AT_ONCE = 4;

  private final Path folder;
  private final List<Mutant> mutants;
  private final Map<String, Future<TestRun.Result>> results = new HashMap<>();
  private final ExecutorService runners = Executors.newFixedThreadPool(AT_ONCE);
  private final Set<String> othersDatabases;
  private final long begun = System.nanoTime();

  Laboratory(Path folder, List<Mutant> mutants) throws SQLException {
    this.folder = folder;
    this.mutants = List.copyOf(mutants);
    // What all copy is made here, by the code as it is, or the first mutant would make it.
    TestEngine.migratedDatabase().close();
    this.othersDatabases = databases();
  }

  /** Begins with all that can go on beside each other. */
  Laboratory start() {
    for (String type : testClasses(mutants)) {
      results.put(type, runners.submit(() -> run(type, List.of(), testsOf(type))));
    }
    for (Mutant mutant : mutants) {
      if (!mutant.deadlocks()) {
        results.put(mutant.id(), runners.submit(() -> run(mutant)));
      }
    }
    return this;
  }

  /** The classes of the tests that the mutants name. */
  static List<String> testClasses(List<Mutant> mutants) {
    return mutants.stream()
        .flatMap(mutant -> mutant.tests().stream())
        .map(NamedTest::type)
        .distinct()
        .toList();
  }

  List<NamedTest> testsOf(String type) {
    return mutants.stream()
        .flatMap(mutant -> mutant.tests().stream())
        .filter(test -> test.type().equals(type))
        .distinct()
        .toList();
  }

  private TestRun.Result run(Mutant mutant) throws IOException {
    return run(mutant.id(), mutant.edits(), mutant.tests());
  }

  private TestRun.Result run(String name, List<Edit> edits, List<NamedTest> tests)
      throws IOException {
    long since = System.nanoTime();
    Path classes = Files.createDirectory(folder.resolve(name));
    TestRun.Result result = TestRun.of(edits, tests, classes);
    System.out.printf("%s: %d ms%n", name, (System.nanoTime() - since) / 1_000_000);
    return result;
  }

  /** What the tests of a class say of the code as it is. */
  TestRun.Result unchanged(String type) throws Exception {
    return Objects.requireNonNull(results.get(type)).get();
  }

  /** What its tests say of a mutant. */
  TestRun.Result of(Mutant mutant) throws Exception {
    return mutant.deadlocks()
        ? runAlone(mutant)
        : Objects.requireNonNull(results.get(mutant.id())).get();
  }

  private TestRun.Result runAlone(Mutant mutant) throws Exception {
    for (Future<TestRun.Result> other : results.values()) {
      other.get();
    }
    try {
      return run(mutant);
    } finally {
      dropDatabases();
    }
  }

  /** The server counts deadlocks by database, and every later test would be blamed for them. */
  private void dropDatabases() throws SQLException {
    Set<String> made = databases();
    made.removeAll(othersDatabases);
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      for (String name : made) {
        statement.execute("DROP DATABASE " + name + " WITH (FORCE)");
      }
    }
  }

  private static Set<String> databases() throws SQLException {
    Set<String> names = new HashSet<>();
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT datname FROM pg_database")) {
      while (rows.next()) {
        names.add(rows.getString(1));
      }
    }
    return names;
  }

  private static Connection connect() throws SQLException {
    return DriverManager.getConnection(SharedPostgres.server().jdbcUrl("postgres"));
  }

  @Override
  public void close() throws SQLException {
    runners.shutdownNow();
    dropDatabases();
    System.out.printf(
        "%d mutants, %.1f s%n", mutants.size(), (System.nanoTime() - begun) / 1_000_000_000.0);
  }
}
