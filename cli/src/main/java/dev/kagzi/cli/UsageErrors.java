package dev.kagzi.cli;

import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.server.config.Suggestion;
import java.util.Locale;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** A command line that cannot be understood: one line, with what was probably meant. */
final class UsageErrors implements IParameterExceptionHandler {

  @Override
  public int handleParseException(ParameterException failure, String[] arguments) {
    var command = failure.getCommandLine();
    if (isIncomplete(failure, command)) {
      command.usage(command.getErr());
      return ExitCode.USAGE.number();
    }
    command
        .getErr()
        .printf(
            "kagzi: %s; %s --help explains it%n",
            sentence(failure), command.getCommandSpec().qualifiedName());
    command.getErr().flush();
    return ExitCode.USAGE.number();
  }

  /** A noun without a verb: the verbs are what helps. */
  private static boolean isIncomplete(ParameterException failure, CommandLine command) {
    return takesCommands(command)
        && String.valueOf(failure.getMessage()).startsWith("Missing required subcommand");
  }

  private static String sentence(ParameterException failure) {
    if (failure instanceof UnmatchedArgumentException unmatched) {
      return unknown(unmatched.getUnmatched().getFirst(), failure.getCommandLine());
    }
    return failure.getArgSpec() != null && failure.getArgSpec().type().isEnum()
        ? wrongWord(failure.getArgSpec(), failure)
        : inWords(
            decapitalised(String.valueOf(failure.getMessage()).lines().findFirst().orElse("")));
  }

  /** One of several words was expected, and another one typed. */
  private static String wrongWord(ArgSpec argument, ParameterException failure) {
    var name = argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
    var known =
        Stream.of(argument.type().getEnumConstants())
            .map(word -> String.valueOf(word).toLowerCase(Locale.ROOT).replace('_', '-'))
            .toList();
    var typed = String.valueOf(failure.getValue());
    return "%s: unknown word '%s'%s (expected: %s)"
        .formatted(
            name,
            typed,
            Suggestion.nearest(typed, known).map(", did you mean '%s'?"::formatted).orElse(""),
            String.join(", ", known));
  }

  /** Numbers and pairs as people call them. */
  private static String inWords(String text) {
    return text.replaceFirst("is not an? (int|long)$", "is not a whole number")
        .replaceFirst("is not a double$", "is not a number")
        .replaceFirst(
            "^value for option (?:option '([^']+)'|positional).* should be in KEY=VALUE format but"
                + " was (.*)$",
            "$1 '$2' (expected: KEY=VALUE)")
        .strip();
  }

  private static String decapitalised(String text) {
    return text.isEmpty()
        ? text
        : text.substring(0, 1).toLowerCase(Locale.ROOT) + text.substring(1);
  }

  private static String unknown(String argument, CommandLine command) {
    var word = argument.replaceFirst("=.*", "");
    var noun = word.startsWith("-") ? "flag" : takesCommands(command) ? "command" : "argument";
    var known = word.startsWith("-") ? flags(command) : commands(command);
    return Suggestion.nearest(word, known.toList())
        .map(near -> "unknown %s '%s' (did you mean '%s'?)".formatted(noun, word, near))
        .orElse("unknown %s '%s'".formatted(noun, word));
  }

  private static boolean takesCommands(CommandLine command) {
    return !command.getSubcommands().isEmpty();
  }

  private static Stream<String> flags(CommandLine command) {
    return command.getCommandSpec().optionsMap().keySet().stream();
  }

  private static Stream<String> commands(CommandLine command) {
    return command.getSubcommands().entrySet().stream()
        .filter(entry -> !entry.getValue().getCommandSpec().usageMessage().hidden())
        .map(entry -> entry.getKey());
  }
}
