package dev.kagzi.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a person has to type for the launcher. */
class LauncherPathTest {
  @TempDir Path folder;
  private Path script;

  @BeforeEach
  void layOut() throws IOException {
    script =
        Files.createFile(Files.createDirectories(folder.resolve("check out")).resolve("kagzi"));
    assertThat(script.toFile().setExecutable(true)).isTrue();
  }

  private String typed(Path from, Map<String, String> environment) {
    var session = new Session(environment, from, Streams.ofThisProcess(), new Lifetime());
    return new Launcher(script).typed(session);
  }

  @Test
  void isItsNameWhereTheShellFindsIt() throws IOException {
    var bin = Files.createDirectories(folder.resolve("bin"));
    Files.createSymbolicLink(bin.resolve("kagzi"), script);

    assertThat(typed(folder, Map.of("PATH", "/nowhere:" + bin))).isEqualTo("kagzi");
  }

  @Test
  void isItsPathWhereTheShellFindsAnother() throws IOException {
    var bin = Files.createDirectories(folder.resolve("bin"));
    assertThat(Files.createFile(bin.resolve("kagzi")).toFile().setExecutable(true)).isTrue();

    assertThat(typed(folder, Map.of("PATH", bin.toString()))).isEqualTo("'./check out/kagzi'");
    assertThat(typed(folder.resolve("check out"), Map.of())).isEqualTo("./kagzi");
  }
}
