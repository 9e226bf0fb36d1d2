package dev.kagzi.cli;

import dev.kagzi.cli.shell.ExitCode;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** What there is, with an example of each command. */
final class Overview {
  private Overview() {}

  static String of(CommandSpec kagzi) {
    var commands =
        kagzi.subcommands().values().stream()
            .distinct()
            .map(CommandLine::getCommandSpec)
            .filter(command -> !command.usageMessage().hidden())
            .map(Overview::entry)
            .collect(Collectors.joining());
    return """
    Kagzi %s: durable workflows in ordinary Java, with nothing to operate but PostgreSQL.

    Usage: kagzi COMMAND [FLAGS]

    %s
    New here? kagzi demo shows what it is for; kagzi init hello makes a project to play with.
    kagzi COMMAND --help explains a command and its flags. --debug shows stack traces.

    Exit codes: %s; 143 after SIGTERM.
    """
        .formatted(Version.ofKagzi(), commands, ExitCode.table());
  }

  private static String entry(CommandSpec command) {
    var usage = command.usageMessage();
    return "  %-12s%s%n              %s%n"
        .formatted(command.name(), usage.description()[0], usage.footer()[0]);
  }
}
