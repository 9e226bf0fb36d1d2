package dev.kagzi.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.cli.command.Asked;
import dev.kagzi.cli.shell.Session;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** Walks the tree of all commands. */
class HelpTest {
  private static List<CommandSpec> commands() {
    return below(KagziCommand.commandLine(Session.ofThisProcess()))
        .filter(command -> !command.usageMessage().hidden())
        .toList();
  }

  private static Stream<CommandSpec> below(CommandLine command) {
    return command.getSubcommands().values().stream()
        .distinct()
        .flatMap(sub -> Stream.concat(Stream.of(sub.getCommandSpec()), below(sub)));
  }

  @Test
  void everyCommandHasADescriptionAndAnExampleThatNamesIt() {
    assertThat(commands())
        .hasSizeGreaterThan(10)
        .allSatisfy(command -> {
          assertThat(command.usageMessage().description()).as(command.qualifiedName()).isNotEmpty();
          assertThat(command.usageMessage().footer()).as(command.qualifiedName()).isNotEmpty();
          assertThat(command.usageMessage().footer()[0])
              .startsWith("Example: ")
              .contains("kagzi ", command.name());
        });
  }

  @Test
  void everyFlagIsExplained() {
    for (var command : commands()) {
      assertThat(command.options())
          .as(command.qualifiedName())
          .allSatisfy(
              option -> assertThat(option.description()).as(option.longestName()).isNotEmpty());
      assertThat(command.positionalParameters())
          .as(command.qualifiedName())
          .allSatisfy(argument -> assertThat(argument.description()).isNotEmpty());
    }
  }

  /** Examples must parse, or they are no help. */
  @Test
  void everyExampleIsACommandLineThatIsUnderstood() {
    for (var command : commands()) {
      var example = command.usageMessage().footer()[0].replaceFirst("Example: ", "");
      var own = example.substring(example.lastIndexOf("kagzi "));
      var words = words(own);
      var line = KagziCommand.commandLine(Session.ofThisProcess(), Asked.by(words));

      var parsed = line.parseArgs(words);

      assertThat(parsed.errors()).as(example).isEmpty();
    }
  }

  /** Words as a shell makes them: separated by blanks, kept together by single quotes. */
  private static String[] words(String line) {
    return Pattern.compile("(?:[^\\s']|'[^']*')+")
        .matcher(line.replaceFirst("^kagzi ", ""))
        .results()
        .map(word -> word.group().replace("'", ""))
        .toArray(String[]::new);
  }

  @ParameterizedTest
  @CsvSource({
    "namespace lsit, unknown command 'lsit' (did you mean 'list'?)",
    "namespace list --ouptut json, unknown flag '--ouptut' (did you mean '--output'?)",
    "namespase list, unknown command 'namespase' (did you mean 'namespace'?)",
    "namespace list -o jsn, --output: unknown word 'jsn'; did you mean 'json'? (expected: table;",
    "completion tsh, SHELL: unknown word 'tsh'; did you mean 'zsh'? (expected: bash; zsh;",
  })
  void aTypoGetsASuggestion(String typed, String line) {
    var refused = ServerAtWork.shared().kagzi(typed.split(" ", -1));

    assertThat(refused.code()).isEqualTo(2);
    assertThat(refused.err()).contains(line.replace(';', ','));
  }
}
