package dev.kagzi.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.cli.shell.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CliDocsTest {
  private static final Path DOCS = Path.of("..", "docs", "cli.md");

  @Test
  void documentsEveryCommand() throws IOException {
    var docs = Files.readString(DOCS);
    var overview = Recorded.run(Path.of("").toAbsolutePath(), Map.of()).out();

    var commands = overview.lines().filter(line -> line.matches("  \\w+ +[A-Z].*")).toList();

    assertThat(commands).hasSizeGreaterThan(3);
    assertThat(commands)
        .allSatisfy(line -> assertThat(docs).contains("## `kagzi " + firstWord(line) + "`"));
  }

  private static String firstWord(String line) {
    return line.strip().replaceFirst(" .*", "");
  }

  @Test
  void documentsEveryExitCode() throws IOException {
    var docs = Files.readString(DOCS);

    for (var entry : ExitCode.table().split(", ", -1)) {
      assertThat(docs).contains("| " + entry.replaceFirst(" ", " | ") + " |");
    }
  }
}
