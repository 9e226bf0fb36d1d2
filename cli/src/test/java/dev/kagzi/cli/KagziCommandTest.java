package dev.kagzi.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KagziCommandTest {
  @TempDir Path folder;

  private Recorded run(String... arguments) {
    return Recorded.run(folder, Map.of(), arguments);
  }

  @Test
  void saysWhatThereIsWithAnExampleOfEach() {
    var overview = run();

    assertThat(overview.code()).isZero();
    assertThat(overview.out())
        .contains("kagzi demo", "kagzi dev --ephemeral --", "kagzi server --database-url")
        .contains("0 ok, 1 error, 2 wrong usage", "130 interrupted; 143 after SIGTERM")
        .contains("New here? kagzi demo ", "kagzi bench --peers")
        .doesNotContain("demo-worker", "bench-driver", "bench-worker");
    assertThat(run("--help")).isEqualTo(overview);
  }

  @ParameterizedTest
  @ValueSource(strings = {"version", "--version"})
  void saysWhatItIsMadeOf(String argument) {
    var version = run(argument);

    assertThat(version.code()).isZero();
    assertThat(version.out()).startsWith("kagzi ").contains("Java " + Runtime.version());
  }

  @ParameterizedTest
  @CsvSource({
    "dmeo, unknown command 'dmeo' (did you mean 'demo'?)",
    "sever, unknown command 'sever' (did you mean 'server'?)",
    "frobnicate, unknown command 'frobnicate'",
    "--hepl, unknown flag '--hepl' (did you mean '--help'?)",
  })
  void refusesAnUnknownWordInOneLine(String word, String line) {
    var refused = run(word);

    assertThat(refused.code()).isEqualTo(2);
    assertThat(refused.err())
        .isEqualTo("kagzi: " + line + "; kagzi --help explains it" + System.lineSeparator());
  }

  @ParameterizedTest
  @CsvSource({
    "wf list --limit many, option '--limit': 'many' is not a whole number",
    "wf cancel --rate fast, option '--rate': 'fast' is not a number",
  })
  void saysInWordsWhatWasExpected(String arguments, String sentence) {
    var refused = run(arguments.split(" ", -1));

    assertThat(refused.code()).isEqualTo(2);
    assertThat(refused.err()).contains(sentence);
  }

  @Test
  void refusesAnUnknownSettingWhereverItStands() throws IOException {
    Files.writeString(folder.resolve("kagzi.toml"), "[database]\npool_sice = 5\n");

    var flag = run("server", "--grpc-prot", "1");
    var others = Recorded.run(folder, Map.of("KAGZI_HTTP_PROT", "1"), "dev", "--print-config");

    assertThat(flag.code()).isEqualTo(2);
    assertThat(flag.err()).contains("unknown flag '--grpc-prot' (did you mean '--grpc-port'?)");
    assertThat(others.code()).isEqualTo(2);
    assertThat(others.err())
        .contains("kagzi: database.pool_sice: unknown key", "database.pool_size?")
        .contains("kagzi: KAGZI_HTTP_PROT: unknown environment variable", "KAGZI_HTTP_PORT?");
  }

  @Test
  void printsTheConfigurationWithOrigins() {
    var printed =
        Recorded.run(
            folder,
            Map.of("KAGZI_HTTP_PORT", "7000", "KAGZI_DEBUG", "0"),
            "dev",
            "--port=6000",
            "--print-config");

    assertThat(printed.code()).isZero();
    assertThat(printed.out())
        .containsPattern("grpc.port = 6000 +# --grpc-port")
        .containsPattern("http.port = 7000 +# KAGZI_HTTP_PORT")
        .containsPattern("database.migrate = \"auto\" +# default");
  }

  @ParameterizedTest
  @CsvSource({
    "--bind-address=0.0.0.0, bind_address is 0.0.0.0 from --bind-address",
    "--reset --database-url=postgres://ada:secret@db/kagzi, --reset is for the embedded",
    "--ephemeral --database-url=postgres://ada:secret@db/kagzi, --ephemeral is for the embedded",
    "--reset --ephemeral, --reset and --ephemeral",
    "--port=1 --grpc-port=2, --grpc-port: given twice",
    "mvn compile, unknown argument 'mvn' (a worker's command stands behind --",
  })
  void devRefusesWhatMakesNoSense(String flags, String reason) {
    var refused = run(("dev " + flags).split(" ", -1));

    assertThat(refused.code()).isEqualTo(2);
    assertThat(refused.err()).startsWith("kagzi: " + reason).hasLineCount(1);
    assertThat(refused.err()).doesNotContain("secret");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--only w1,w9 | --only: unknown name 'w9', did you mean 'w",
        "--only sok | --only: unknown name 'sok', did you mean 'soak'? (expected: w1, ",
        "--systems remot | --systems: unknown name 'remot', did you mean 'remote'? (expected:"
            + " remote, ",
        "--seconds 0 | --seconds: 0 (expected: 1 to 3600)",
        "--rounds 101 | --rounds: 101 (expected: 1 to 100)",
        "--rounds many | invalid value for option '--rounds'",
        "--address a:1 --only w6 | w6 fills or floods a database of its own",
        "--address a:1 --peers | --address measures that server alone",
        "--sekonds 3 | unknown flag '--sekonds' (did you mean '--seconds'?)",
      })
  void benchRefusesWhatMakesNoSense(String flags, String reason) {
    var refused = run(("bench " + flags).split(" ", -1));

    assertThat(refused.code()).isEqualTo(2);
    assertThat(refused.err()).startsWith("kagzi: " + reason).hasLineCount(1);
    assertThat(refused.err()).contains("kagzi bench --help explains it");
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void everySettingIsAFlagOfBothServers() {
    for (var command : new String[] {"dev", "server"}) {
      assertThat(run(command, "--help").out())
          .contains("--config=FILE", "--port, --grpc-port=VALUE", "--shutdown-timeout-secs=VALUE");
    }
  }
}
