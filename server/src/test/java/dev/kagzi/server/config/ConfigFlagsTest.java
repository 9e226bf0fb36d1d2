package dev.kagzi.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ConfigFlagsTest {

  @Test
  void readsBothForms() {
    var flags = ConfigFlags.parse(List.of("--grpc-port", "1", "--database-url=postgres://h/d?a=b"));

    assertThat(flags.values())
        .isEqualTo(Map.of("--grpc-port", "1", "--database-url", "postgres://h/d?a=b"));
    assertThat(flags.faults()).isEmpty();
  }

  @Test
  void takesNegativeAndEmptyValues() {
    assertThat(ConfigFlags.parse(List.of("--grpc-port", "-1", "--http-port=")).values())
        .isEqualTo(Map.of("--grpc-port", "-1", "--http-port", ""));
  }

  @Test
  void reportsAllItCannotRead() {
    var flags =
        ConfigFlags.parse(
            List.of("serve", "--=1", "--grpc-port=1", "--grpc-port=2", "--http-port"));

    assertThat(flags.faults())
        .extracting(Fault::toString)
        .containsExactly(
            "serve: not a flag (expected: --key value or --key=value)",
            "--=1: not a flag (expected: --key value or --key=value)",
            "--grpc-port: given twice",
            "--http-port: no value given");
  }
}
