package dev.kagzi.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever stands in flags, environment and file, all its faults are told, and no password. */
class ConfigFuzzTest {

  private static final int IN_VERIFY = 3_000;
  private static final String PASSWORD = "s3cr3tw0rd";

  private static final List<String> VALUES =
      List.of(
          "",
          " ",
          "0",
          "-1",
          "50051",
          "65536",
          "99999999999999999999",
          "1e5",
          "1e999999999",
          "NaN",
          "true",
          "auto",
          "AUTO",
          "never",
          "127.0.0.1",
          "::",
          "localhost:5",
          "info",
          "5s",
          "0x10",
          "\u0000",
          "é",
          "'",
          "\"",
          "[1]");

  private static final List<String> URLS =
      List.of(
          "postgres://u:" + PASSWORD + "@db/x",
          "postgres://u:" + PASSWORD + "@db:99999/x",
          "postgres://u:" + PASSWORD + "@",
          "jdbc:postgresql://db/x?password=" + PASSWORD + "&user=u",
          "jdbc:postgresql://db:-1/x?password=" + PASSWORD,
          "postgres://u:a@" + PASSWORD + "@db");

  private static final List<String> TOML =
      List.of(
          "[",
          "]",
          "[[",
          "]]",
          "=",
          "\"",
          "'",
          "\n",
          "#",
          ".",
          ",",
          "{",
          "}",
          "1",
          "1e400",
          "2026-01-01",
          "true",
          "a",
          "grpc",
          "port",
          "\"\"\"",
          "\\u0000",
          "\\",
          "\u0007",
          "inf",
          "=1\n");

  private static final List<String> URL_PARTS =
      List.of(
          "postgres://",
          "postgresql://",
          "jdbc:postgresql:",
          "//",
          "/",
          ":",
          "@",
          "?",
          "&",
          "=",
          "%",
          "%4",
          "%zz",
          "%00",
          "host",
          "5432",
          "99999",
          "-1",
          "[::1]",
          "[",
          "user",
          ",",
          "db",
          "sslmode",
          "require",
          "é",
          " ",
          "\0",
          "#",
          "password=",
          "options");

  @TempDir Path folder;

  @Test
  void thousandsOfConfigurationsAreReadOrRefused() throws IOException {
    fuzz(1, IN_VERIFY);
  }

  @Test
  @Tag("soak")
  void tensOfThousandsOfConfigurationsAreReadOrRefused() throws IOException {
    fuzz(System.nanoTime(), 10 * IN_VERIFY);
  }

  /** Its reader gives up without saying where. */
  @Test
  void aFileThatIsNestedTooDeeplyIsRefused() throws IOException {
    Files.writeString(folder.resolve("kagzi.toml"), "x = " + "[".repeat(5000));

    assertThatThrownBy(
            () -> ServerConfig.load(ConfigSources.of(ConfigFlags.none(), Map.of(), folder)))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("kagzi.toml: not TOML");
  }

  private void fuzz(long seed, int configurations) throws IOException {
    System.out.printf("config: seed %d%n", seed);
    Random random = new Random(seed);
    int accepted = 0;
    for (int i = 0; i < configurations; i++) {
      Files.writeString(folder.resolve("kagzi.toml"), file(random));
      accepted += load(flags(random), environment(random)) ? 1 : 0;
      urls(random);
    }
    System.out.printf("config: %d of %d were accepted%n", accepted, configurations);
  }

  private boolean load(ConfigFlags flags, Map<String, String> environment) {
    try {
      String shown = ServerConfig.load(ConfigSources.of(flags, environment, folder)).print();
      assertThat(shown).doesNotContain(PASSWORD);
      return true;
    } catch (ConfigException refused) {
      assertThat(refused.faults()).isNotEmpty();
      assertThat(refused.getMessage()).isNotBlank().doesNotContain(PASSWORD);
      return false;
    }
  }

  private static String value(Random random) {
    return VALUES.get(random.nextInt(VALUES.size()));
  }

  /** A password may stand in the address of a database; elsewhere nobody would know it for one. */
  private static String valueOf(ConfigKey<?> key, Random random) {
    boolean url = key.equals(ConfigKeys.DATABASE_URL) || key.equals(ConfigKeys.DATABASE_DIRECT_URL);
    return url && random.nextBoolean() ? URLS.get(random.nextInt(URLS.size())) : value(random);
  }

  private static ConfigKey<?> key(Random random) {
    return ConfigKeys.all().get(random.nextInt(ConfigKeys.all().size()));
  }

  private static ConfigFlags flags(Random random) {
    List<String> arguments = new ArrayList<>();
    int count = random.nextInt(4);
    for (int i = 0; i < count; i++) {
      ConfigKey<?> key = key(random);
      if (random.nextInt(6) == 0) {
        arguments.add(value(random));
      } else if (random.nextBoolean()) {
        arguments.add(key.flag() + "=" + valueOf(key, random));
      } else {
        arguments.add(key.flag());
        arguments.add(valueOf(key, random));
      }
    }
    return ConfigFlags.parse(arguments);
  }

  private static Map<String, String> environment(Random random) {
    Map<String, String> environment = new HashMap<>();
    int count = random.nextInt(4);
    for (int i = 0; i < count; i++) {
      ConfigKey<?> key = key(random);
      if (random.nextInt(6) == 0) {
        environment.put("KAGZI_" + value(random), value(random));
      } else {
        environment.put(key.environmentName(), valueOf(key, random));
      }
    }
    return environment;
  }

  private static String file(Random random) {
    StringBuilder text = new StringBuilder();
    int lines = random.nextInt(4);
    for (int i = 0; i < lines; i++) {
      ConfigKey<?> key = key(random);
      text.append(key.name()).append(" = \"").append(valueOf(key, random)).append("\"\n");
    }
    int pieces = random.nextInt(3) == 0 ? random.nextInt(20) : 0;
    for (int i = 0; i < pieces; i++) {
      text.append(TOML.get(random.nextInt(TOML.size())));
    }
    return random.nextInt(200) == 0 ? text + "x = " + "[".repeat(5000) : text.toString();
  }

  /** What is read is written so that it is read again as the same, and without its password. */
  private static void urls(Random random) {
    StringBuilder text = new StringBuilder();
    int parts = random.nextInt(10);
    for (int i = 0; i < parts; i++) {
      text.append(URL_PARTS.get(random.nextInt(URL_PARTS.size())));
    }
    DatabaseUrl url;
    try {
      url = DatabaseUrl.parse(text.toString());
    } catch (IllegalArgumentException refused) {
      assertThat(refused.getMessage()).isNotBlank();
      return;
    }
    DatabaseUrl plain = url.withCredentials("u", PASSWORD);
    assertThat(plain.toString()).doesNotContain(PASSWORD);
    DatabaseUrl again = DatabaseUrl.parse(url.jdbcUrl());
    assertThat(again.hosts()).as(text.toString()).isEqualTo(url.hosts());
    assertThat(again.database()).as(text.toString()).isEqualTo(url.database());
  }
}
