package dev.kagzi.cli;

import dev.kagzi.cli.namespace.NamespaceCommand;
import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.cli.shell.Session;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The command without a command: says what there is. */
@Command(name = "kagzi")
final class KagziCommand implements Callable<Integer> {
  private static final int HELP_WIDTH = 110;
  private static final String OVERVIEW = "overview";

  private final Session session;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it before anything is called
  private CommandSpec spec;

  @Option(
      names = {"-h", "--help"},
      description = "Explains the command.",
      scope = ScopeType.INHERIT,
      usageHelp = true)
  @SuppressWarnings("UnusedVariable") // picocli acts on it
  private boolean help;

  @Option(
      names = "--debug",
      description = "Shows stack traces, as KAGZI_DEBUG=1 does.",
      scope = ScopeType.INHERIT)
  private boolean debug;

  @Option(names = "--version", description = "Prints what this is made of.")
  private boolean version;

  private KagziCommand(Session session) {
    this.session = session;
  }

  /** Runs the command that the arguments name, and says how to end. */
  @SuppressWarnings("CatchingUnchecked")
  static int run(Session session, String... arguments) {
    try {
      return commandLine(session).execute(arguments);
    } catch (Error brokenInstallation) {
      // picocli hands on exceptions only; a missing class must not look different.
      return new Failures(session, session.isDebug()).report(brokenInstallation);
    }
  }

  /** The whole command, ready to take arguments. */
  static CommandLine commandLine(Session session) {
    var root = new KagziCommand(session);
    var commandLine = new CommandLine(root);
    // Before there are subcommands, because those keep the usual help.
    commandLine.setHelpSectionKeys(List.of(OVERVIEW));
    commandLine.getHelpSectionMap().put(OVERVIEW, help -> Overview.of(help.commandSpec()));
    commandLine
        .addSubcommand(new BenchCommand(session))
        .addSubcommand(new DemoCommand(session))
        .addSubcommand(withSettings(new DevCommand(session)))
        .addSubcommand(new NamespaceCommand(session))
        .addSubcommand(withSettings(new ServerCommand(session)))
        .addSubcommand(new VersionCommand(session))
        .addSubcommand(new BenchDriverCommand())
        .addSubcommand(new BenchWorkerCommand())
        .addSubcommand(new DemoWorkerCommand());
    commandLine.setCaseInsensitiveEnumValuesAllowed(true);
    commandLine.setUsageHelpWidth(HELP_WIDTH);
    commandLine.setParameterExceptionHandler(new UsageErrors());
    commandLine.setExecutionExceptionHandler(
        (failure, command, parsed) -> new Failures(session, root.isDebug()).report(failure));
    return commandLine;
  }

  private static CommandLine withSettings(Object command) {
    var commandLine = new CommandLine(command);
    ConfigOptions.addTo(commandLine.getCommandSpec());
    return commandLine;
  }

  private boolean isDebug() {
    return debug || session.isDebug();
  }

  @Override
  public Integer call() {
    session.out().print(version ? Version.line() + "\n" : Overview.of(spec));
    return ExitCode.OK.number();
  }
}
