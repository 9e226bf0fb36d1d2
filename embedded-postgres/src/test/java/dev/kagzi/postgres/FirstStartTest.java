package dev.kagzi.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FirstStartTest {
  @TempDir private Path folder;

  @Test
  void redoesAnInitialisationThatWasKilledHalfWay() throws Exception {
    var halfDone = Files.createDirectory(folder.resolve("data.tmp-1234"));
    Files.writeString(halfDone.resolve("PG_VERSION"), "18\n");

    try (var postgres = EmbeddedPostgres.builder(folder).start()) {
      assertThat(Sql.query(postgres.jdbcUrl("postgres"), "SELECT 1")).isEqualTo("1");
    }

    assertThat(folder).isDirectoryNotContaining("glob:**/data.tmp-*");
  }

  @Test
  void runsAsNobodyWhereRootMayNotHideItself() throws Exception {
    assumeTrue(Launcher.isRoot(), "only root can become nobody");

    try (var postgres = EmbeddedPostgres.builder(folder).launcher(Launcher.AS_NOBODY).start()) {
      var owner = ProcessHandle.of(postgres.pid()).orElseThrow().info().user().orElseThrow();

      assertThat(owner).isIn("nobody", "65534");
      assertThat(Sql.query(postgres.jdbcUrl("postgres"), "SELECT 1")).isEqualTo("1");
    }
  }
}
