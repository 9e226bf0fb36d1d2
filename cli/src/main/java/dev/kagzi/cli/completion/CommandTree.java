package dev.kagzi.cli.completion;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * Every place on a command line, named by the commands that lead there, with what can follow.
 * Immutable.
 *
 * @param places by name; the empty one is the beginning
 */
record CommandTree(Map<String, CommandSpec> places) {

  static CommandTree of(CommandLine root) {
    var places = new LinkedHashMap<String, CommandSpec>();
    collect("", root.getCommandSpec(), places);
    return new CommandTree(places);
  }

  private static void collect(String place, CommandSpec command, Map<String, CommandSpec> places) {
    places.put(place, command);
    for (var word : words(command).entrySet()) {
      collect((place + " " + word.getKey()).strip(), word.getValue(), places);
    }
  }

  /**
   * Makes words that are one of several complete as people type them, in a tree that is read only.
   */
  static CommandLine inLowerCase(CommandLine level) {
    var spec = level.getCommandSpec();
    for (var argument : List.copyOf(spec.args())) {
      if (argument.type().isEnum()) {
        spec.remove(argument);
        spec.add(inLowerCase(argument));
      }
    }
    level.getSubcommands().values().forEach(CommandTree::inLowerCase);
    return level;
  }

  private static ArgSpec inLowerCase(ArgSpec argument) {
    var words = choices(argument).stream().map(word -> word.toLowerCase(Locale.ROOT)).toList();
    return argument instanceof OptionSpec option
        ? option.toBuilder().completionCandidates(words).build()
        : ((PositionalParamSpec) argument).toBuilder().completionCandidates(words).build();
  }

  /** The words that an argument must be one of; none if it can be anything. */
  static List<String> choices(ArgSpec argument) {
    var candidates = argument.completionCandidates();
    return candidates == null
        ? List.of()
        : StreamSupport.stream(candidates.spliterator(), false).toList();
  }

  /** The words that can follow by themselves, without being commands. */
  static List<String> choices(CommandSpec command) {
    return command.positionalParameters().stream()
        .flatMap(parameter -> choices(parameter).stream())
        .toList();
  }

  /** The commands that can follow, aliases included. */
  static Map<String, CommandSpec> words(CommandSpec command) {
    var words = new LinkedHashMap<String, CommandSpec>();
    command
        .subcommands()
        .forEach((word, line) -> {
          if (!line.getCommandSpec().usageMessage().hidden()) {
            words.put(word, line.getCommandSpec());
          }
        });
    return words;
  }

  static List<OptionSpec> flags(CommandSpec command) {
    return command.options().stream().filter(option -> !option.hidden()).toList();
  }

  /** Everything that can follow, as it is typed. */
  static List<String> candidates(CommandSpec command) {
    var candidates = new ArrayList<>(words(command).keySet());
    candidates.addAll(choices(command));
    flags(command).stream()
        .flatMap(flag -> Arrays.stream(flag.names()))
        .filter(name -> name.startsWith("--"))
        .forEach(candidates::add);
    return candidates;
  }

  /** What is explained about a command or a flag, on one line. */
  static String explained(String[] description) {
    return Stream.of(description).findFirst().orElse("").replace("%%", "%").replace("%n", " ");
  }
}
