package dev.kagzi.engine.mutation;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The mutants that are left for the soaks. */
@Isolated
@Tag("soak")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MoreMutationTest {

  private Laboratory laboratory;

  @BeforeAll
  void start(@TempDir Path folder) throws SQLException {
    laboratory = new Laboratory(folder, mutants()).start();
  }

  @AfterAll
  void stop() throws SQLException {
    laboratory.close();
  }

  static List<Mutant> mutants() {
    return Mutants.ofSoaks().sorted(Comparator.comparing(Mutant::deadlocks)).toList();
  }

  static List<String> testClasses() {
    return Laboratory.testClasses(mutants());
  }

  @ParameterizedTest
  @MethodSource("mutants")
  void isNoticedByItsTests(Mutant mutant) throws Exception {
    TestRun.Result result = laboratory.of(mutant);
    assertThat(result.passed()).as("tests that do not notice: %s", result).isEmpty();
    assertThat(result.failed()).as("%s", result).hasSameSizeAs(mutant.tests());
  }

  @ParameterizedTest
  @MethodSource("testClasses")
  void withoutAnyChangeTheSameTestsPass(String type) throws Exception {
    TestRun.Result result = laboratory.unchanged(type);
    assertThat(result.failed()).isEmpty();
    assertThat(result.trouble()).isEmpty();
    assertThat(result.passed()).hasSameSizeAs(laboratory.testsOf(type));
  }
}
