package dev.kagzi.cli.completion;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kagzi.cli.Recorded;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
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
    return said(new ProcessBuilder("bash", "-c", question));
  }

  @Test
  void bashCompletesCommandsAndFlags() throws Exception {
    assertThat(offered("kagzi names")).isEqualTo("namespace");
    assertThat(offered("kagzi namespace li")).isEqualTo("list");
    assertThat(offered("kagzi namespace list --addr")).contains("--address");
    assertThat(offered("kagzi completion z")).isEqualTo("zsh");
    assertThat(offered("kagzi wf list --output js")).endsWith("json jsonl");
    assertThat(offered("kagzi bench")).doesNotContain("bench-driver", "bench-worker");
  }

  @Test
  void fishKnowsCommandsAndFlagsWithTheirExplanations() {
    assertThat(script("fish"))
        .contains("set -g __kagzi_places ", " 'namespace list' ")
        .contains("complete -c kagzi -n '__kagzi_at \"\"' -a namespace -d '")
        .contains("complete -c kagzi -n '__kagzi_at \"namespace\"' -a list -d '")
        .containsPattern(
            "'__kagzi_at \"namespace list\"' -s o -l output -x -a 'table json jsonl ids none' -d '")
        .doesNotContain("bench-driver");
  }

  /** What fish offers, asked in the way in which fish offers to be asked. */
  @Test
  void fishCompletesCommandsFlagsAndWords() throws Exception {
    assumeTrue(isInstalled("fish"));
    var script = Files.writeString(folder.resolve("kagzi.fish"), script("fish"));

    var fish =
        new ProcessBuilder(
            "fish",
            "--no-config",
            "-c",
            "source $argv[1]; for line in $argv[2..-1]; complete -C $line; end",
            script.toString(),
            "kagzi names",
            "kagzi wf list --stat",
            "kagzi wf list --output jsonl",
            "kagzi completion po");
    fish.environment().put("HOME", folder.toString());
    assertThat(said(fish).lines().map(line -> line.split("\t", -1)[0]))
        .containsExactly("namespace", "--status", "jsonl", "powershell");
  }

  /** What zsh makes of a line and a tab, typed into one that takes itself for a terminal's. */
  @Test
  void zshCompletesCommandsFlagsAndWords() throws Exception {
    assumeTrue(isInstalled("zsh"));
    var script = Files.writeString(folder.resolve("kagzi.zsh"), script("zsh"));
    var typist =
        """
        zmodload zsh/zpty
        script=$1
        shift
        zpty shell zsh -f -i
        zpty -w shell "PS1= RPS1=; unsetopt prompt_sp prompt_cr beep; source '$script'; print -r -- :ready"
        zpty -r shell said $'*\\n:ready*'
        for line in "$@"; do
          zpty -w -n shell "$line"$'\\t\\C-aprint -r -- \\':\\C-e\\'\\n'
          zpty -r shell said $'*\\n:*\\n*'
          print -r -- ${${said#*$'\\n':}%%$'\\r'*}
        done
        """;

    var zsh =
        new ProcessBuilder(
            "zsh",
            "-f",
            "-c",
            typist,
            "typist",
            script.toString(),
            "kagzi names",
            "kagzi wf list --stat",
            "kagzi wf list --output jsonl",
            "kagzi completion po");
    zsh.environment().putAll(Map.of("HOME", folder.toString(), "TERM", "dumb"));
    assertThat(said(zsh).lines().map(String::strip))
        .containsExactly(
            "kagzi namespace",
            "kagzi wf list --status",
            "kagzi wf list --output jsonl",
            "kagzi completion powershell");
  }

  private static boolean isInstalled(String program) {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }

  private static String said(ProcessBuilder builder) throws IOException, InterruptedException {
    var process = builder.redirectErrorStream(true).start();
    var said = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    return said.strip();
  }

  @Test
  void powershellKnowsCommandsAndFlags() {
    assertThat(script("powershell"))
        .contains("Register-ArgumentCompleter -Native -CommandName kagzi")
        .containsPattern("'' = @\\('api', .*'namespace'.*'--help'")
        .contains("'completion' = @('bash', 'zsh', 'fish', 'powershell', ")
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
