package dev.kagzi.cli.completion;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

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
