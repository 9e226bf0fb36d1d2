package dev.kagzi.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.cli.shell.Session;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/**
 * No command without a test that runs it. Tests type commands as a shell hands them over, word by
 * word, so what they run stands in their sources.
 */
class CommandTestsTest {
  private static final List<Path> TESTS =
      List.of(Path.of("src/test/java"), Path.of("../e2e/src/test/java"));

  private static Stream<CommandSpec> leaves(CommandLine command) {
    return command.getSubcommands().isEmpty()
        ? Stream.of(command.getCommandSpec())
        : command.getSubcommands().values().stream().distinct().flatMap(CommandTestsTest::leaves);
  }

  private static String sources() throws IOException {
    var text = new StringBuilder();
    for (var folder : TESTS) {
      try (var files = Files.walk(folder)) {
        files.filter(CommandTestsTest::isTest).forEach(file -> text.append(read(file)));
      }
    }
    return text.toString();
  }

  /** Help is only parsed and never run, so its test does not count. */
  private static boolean isTest(Path file) {
    return file.toString().matches(".*(Test|IT)\\.java") && !file.endsWith("HelpTest.java");
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** {@code "wf", "show"} with every name that each word has. */
  private static Pattern typed(String call, CommandSpec command) {
    var words = new ArrayList<String>();
    for (var level = command; level.parent() != null; level = level.parent()) {
      words.addFirst("\"(" + String.join("|", level.names()) + ")\"");
    }
    return Pattern.compile(call + "\\s*" + String.join(",\\s*", words) + "[,)}]");
  }

  @Test
  void everyCommandIsRunByATest() throws IOException {
    var sources = sources();

    var untested =
        leaves(KagziCommand.commandLine(Session.ofThisProcess()))
            .filter(command -> !command.usageMessage().hidden())
            .filter(command -> !typed("[(,{]", command).matcher(sources).find())
            .map(CommandSpec::qualifiedName)
            .collect(Collectors.joining("\n"));

    assertThat(untested).as("commands that no test runs").isEmpty();
  }

  /** {@code done} fails unless the command ends with 0, whatever it prints. */
  @Test
  void everyCommandThatAsksAServerIsSeenToSucceed() throws IOException {
    var sources = sources();

    var unseen =
        leaves(KagziCommand.commandLine(Session.ofThisProcess()))
            .filter(command -> command.findOption("--namespace") != null)
            .filter(command -> !typed("\\bdone\\(", command).matcher(sources).find())
            .map(CommandSpec::qualifiedName)
            .collect(Collectors.joining("\n"));

    assertThat(unseen).as("commands that no test asks to be done").isEmpty();
  }
}
