package dev.kagzi.cli.completion;

import java.util.stream.Collectors;
import picocli.CommandLine.Model.OptionSpec;

/** Completion for fish. Stateless. */
final class FishScript {
  private static final String FUNCTIONS =
      """
      # Completion of kagzi for fish: kagzi completion fish > ~/.config/fish/completions/kagzi.fish
      set -g __kagzi_places @PLACES@

      function __kagzi_place
          set -l place
          for token in (commandline -opc)[2..-1]
              set -l longer (string trim -- "$place $token")
              if contains -- "$longer" $__kagzi_places
                  set place $longer
              end
          end
          echo $place
      end

      function __kagzi_at
          set -l place (__kagzi_place)
          test "$place" = "$argv[1]"
      end

      complete -c kagzi -f
      """;

  private FishScript() {}

  static String of(CommandTree tree) {
    var places =
        tree.places().keySet().stream()
            .filter(place -> !place.isEmpty())
            .map(FishScript::quoted)
            .collect(Collectors.joining(" "));
    var script = new StringBuilder(FUNCTIONS.replace("@PLACES@", places));
    tree.places()
        .forEach((place, command) -> {
          var at = "complete -c kagzi -n " + quoted("__kagzi_at \"" + place + "\"");
          CommandTree.words(command)
              .forEach((word, sub) ->
                  script.append(
                      "%s -a %s -d %s%n"
                          .formatted(
                              at,
                              word,
                              quoted(CommandTree.explained(sub.usageMessage().description())))));
          CommandTree.choices(command)
              .forEach(word -> script.append("%s -a %s%n".formatted(at, word)));
          CommandTree.flags(command).forEach(flag -> script.append(at).append(line(flag)));
        });
    return script.toString();
  }

  private static String line(OptionSpec flag) {
    var line = new StringBuilder();
    for (var name : flag.names()) {
      line.append(name.startsWith("--") ? " -l " + name.substring(2) : " -s " + name.substring(1));
    }
    var choices = CommandTree.choices(flag);
    if (!choices.isEmpty()) {
      line.append(" -x -a ").append(quoted(String.join(" ", choices)));
    } else if (flag.arity().max() > 0) {
      line.append(" -r -F");
    }
    return line.append(" -d %s%n".formatted(quoted(CommandTree.explained(flag.description()))))
        .toString();
  }

  private static String quoted(String text) {
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
  }
}
