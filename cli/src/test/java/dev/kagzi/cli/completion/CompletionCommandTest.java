package dev.kagzi.cli.completion;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.cli.Recorded;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompletionCommandTest {
  @TempDir Path folder;

  private String script(String shell) {
    var printed = Recorded.run(folder, Map.of(), "completion", shell);
    assertThat(printed.code()).as(printed.err()).isZero();
    return printed.out();
  }

  /** What bash offers, asked in the way in which bash asks. */
  private String offered(String typed) throws IOException, InterruptedException {
    var script = folder.resolve("completion.bash");
    Files.writeString(script, script("bash"));
    var question =
        """
        source %s
        COMP_WORDS=(%s) COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE='%2$s'
        _complete_kagzi
        echo "${COMPREPLY[@]}"
        """
            .formatted(script, typed);
    var bash = new ProcessBuilder("bash", "-c", question).redirectErrorStream(true).start();
    var said = new String(bash.getInputStream().readAllBytes(), UTF_8);
    assertThat(bash.waitFor()).as(said).isZero();
    return said.strip();
  }

  @Test
  void bashCompletesCommandsAndFlags() throws Exception {
    assertThat(offered("kagzi names")).isEqualTo("namespace");
    assertThat(offered("kagzi namespace li")).isEqualTo("list");
    assertThat(offered("kagzi namespace list --addr")).contains("--address");
    assertThat(offered("kagzi bench")).doesNotContain("bench-driver", "bench-worker");
  }

  @Test
  void zshUsesTheScriptOfBash() {
    assertThat(script("zsh")).contains("compinit").endsWith(script("bash"));
  }

  @Test
  void fishKnowsCommandsAndFlagsWithTheirExplanations() {
    assertThat(script("fish"))
        .contains("set -g __kagzi_places ", " 'namespace list' ")
        .contains("complete -c kagzi -n '__kagzi_at \"\"' -a namespace -d '")
        .contains("complete -c kagzi -n '__kagzi_at \"namespace\"' -a list -d '")
        .containsPattern("'__kagzi_at \"namespace list\"' -s o -l output -r -F -d 'table, json")
        .doesNotContain("bench-driver");
  }

  @Test
  void powershellKnowsCommandsAndFlags() {
    assertThat(script("powershell"))
        .contains("Register-ArgumentCompleter -Native -CommandName kagzi")
        .containsPattern("'' = @\\('api', .*'namespace'.*'--help'")
        .containsPattern("'namespace' = @\\('create', .*'list'")
        .containsPattern("'namespace list' = @\\(.*'--address'")
        .doesNotContain("bench-driver");
  }

  @Test
  void refusesAShellItDoesNotKnow() {
    var refused = Recorded.run(folder, Map.of(), "completion", "tcsh");

    assertThat(refused.code()).isEqualTo(2);
    assertThat(refused.err()).contains("tcsh", "kagzi completion --help");
  }
}
