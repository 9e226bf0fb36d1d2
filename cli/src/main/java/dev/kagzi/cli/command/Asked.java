package dev.kagzi.cli.command;

import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Adds commands to a level of the tree, in full only if they are asked for: reading the flags of
 * all commands takes longer than most of them. The others are there by name, for lists and
 * suggestions. Immutable.
 */
public final class Asked {
  private final @Nullable List<String> words;

  private Asked(@Nullable List<String> words) {
    this.words = words;
  }

  /** Everything in full. */
  public static Asked all() {
    return new Asked(null);
  }

  /** What a command line asks for. Flags in front of a command take no values. */
  public static Asked by(String... arguments) {
    return new Asked(
        Arrays.stream(arguments).filter(word -> !word.startsWith("-")).limit(2).toList());
  }

  /** The level below. */
  public Asked below() {
    return words == null ? this : new Asked(words.subList(Math.min(1, words.size()), words.size()));
  }

  /**
   * Adds a command.
   *
   * @param type the class that describes it
   */
  public Asked add(CommandLine level, Class<?> type, Supplier<?> command) {
    var description = type.getAnnotation(Command.class);
    level.addSubcommand(isAskedFor(description) ? command.get() : name(description));
    return this;
  }

  private boolean isAskedFor(Command command) {
    if (words == null) {
      return true;
    }
    return !words.isEmpty()
        && (words.getFirst().equals(command.name())
            || List.of(command.aliases()).contains(words.getFirst()));
  }

  private static CommandLine name(Command command) {
    var spec = CommandSpec.create().name(command.name()).aliases(command.aliases());
    spec.usageMessage()
        .description(command.description())
        .footer(command.footer())
        .hidden(command.hidden());
    return new CommandLine(spec);
  }
}
