package dev.kagzi.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.kagzi.postgres.EmbeddedPostgres;
import dev.kagzi.server.config.ConfigKeys;
import dev.kagzi.server.config.DatabaseUrl;
import dev.kagzi.server.config.ServerConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A database that asks for a password, which ours otherwise never do. */
class WrongPasswordTest {

  @Test
  void isToldInOneLineWithoutThePassword(@TempDir Path folder) throws Exception {
    try (var postgres = EmbeddedPostgres.builder(folder).start()) {
      postgres.createDatabase("app");
      try (var connection = DriverManager.getConnection(postgres.jdbcUrl("app"));
          var statement = connection.createStatement()) {
        statement.execute("CREATE ROLE shop LOGIN PASSWORD 'right'");
      }
      Files.writeString(
          postgres.dataDirectory().resolve("data/pg_hba.conf"),
          "host all all 127.0.0.1/32 scram-sha-256\n");
      postgres.restart();
      var url = "postgres://shop:S3CR3T-wrong@127.0.0.1:%d/app".formatted(postgres.port());

      var refusal =
          catchThrowableOfType(
              ServerStartException.class, () -> KagziServer.start(config(DatabaseUrl.parse(url))));

      assertThat(refusal.reason()).isEqualTo(ServerStartException.Reason.DATABASE_LOGIN_FAILED);
      assertThat(refusal.getMessage())
          .contains("shop")
          .doesNotContain("S3CR3T")
          .doesNotContain("\n");
    }
  }

  private static ServerConfig config(DatabaseUrl url) {
    return ServerConfig.builder()
        .set(ConfigKeys.DATABASE_URL, url)
        .set(ConfigKeys.GRPC_PORT, 0)
        .set(ConfigKeys.HTTP_PORT, 0)
        .build();
  }
}
