package dev.kagzi.cli.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.cli.Recorded;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigCommandTest {
  @TempDir Path home;
  private Path file;

  @BeforeEach
  void findFile() {
    file = home.resolve(".config/kagzi/config.toml");
  }

  private Recorded kagzi(String... arguments) {
    return Recorded.run(home, Map.of("HOME", home.toString()), arguments);
  }

  private String done(String... arguments) {
    return kagzi(arguments).done();
  }

  @Test
  void makesProfilesAndPutsOneInForce() {
    var made =
        kagzi("config", "set", "address=db.internal:1", "namespace=orders", "--profile", "prod");
    kagzi("config", "set", "--profile", "local", "address=localhost:2");
    var used = kagzi("config", "use", "prod");

    assertThat(made.done()).contains("profile prod written to " + file);
    assertThat(used.done()).contains("profile prod is in force");
    assertThat(done("config", "list"))
        .containsPattern("\\n +local +localhost:2 +–\\n")
        .containsPattern("\\n\\* +prod +db.internal:1 +orders\\n");
    assertThat(done("config", "path")).isEqualTo("%s%n".formatted(file));
  }

  @Test
  void showsWhatIsInForceAndWhoSaidSo() {
    kagzi("config", "set", "address=db.internal:1", "namespace=orders", "--profile", "prod");
    kagzi("config", "use", "prod");

    assertThat(done("config", "show", "--origin", "-n", "mine"))
        .containsPattern("profile +prod +" + file)
        .containsPattern("address +db.internal:1 +profile prod in " + file)
        .containsPattern("namespace +mine +--namespace");
    assertThat(done("config", "show"))
        .containsPattern("namespace +orders\\n")
        .doesNotContain("ORIGIN");
  }

  @Test
  void saysWhatAPairLooksLike() {
    assertThat(kagzi("config", "set", "nonsense").err())
        .startsWith("kagzi: 'nonsense' (expected: KEY=VALUE); kagzi config set --help");
    assertThat(kagzi("workflow", "start", "greet", "--label", "nonsense").err())
        .startsWith("kagzi: --label 'nonsense' (expected: KEY=VALUE); kagzi workflow start --help");
  }

  @Test
  void keepsCommentsAndOrder() throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(
        file,
        """
        # mine
        profile = "a"

        [profiles.a]
        # the big one
        address = "a:1"

        [profiles.b]
        address = "b:1"
        """);

    kagzi("config", "set", "namespace=n", "address=a:2");
    kagzi("config", "use", "b");

    assertThat(file)
        .hasContent(
            """
            # mine
            profile = "b"

            [profiles.a]
            namespace = "n"
            # the big one
            address = "a:2"

            [profiles.b]
            address = "b:1"
            """);
  }

  @Test
  void saysWhatIsWrong() {
    kagzi("config", "set", "address=a:1", "--profile", "production");

    var unknown = kagzi("config", "use", "prodcution");
    var key = kagzi("config", "set", "adress=a:1", "--profile", "x");
    var nameless = kagzi("config", "set", "address=a:1");

    assertThat(unknown.code()).isEqualTo(4);
    assertThat(unknown.err()).contains("no profile 'prodcution'", "did you mean 'production'?");
    assertThat(key.code()).isEqualTo(2);
    assertThat(key.err()).contains("unknown key 'adress' (did you mean 'address'?)");
    assertThat(nameless.code()).isEqualTo(2);
    assertThat(nameless.err()).contains("--profile");
  }
}
