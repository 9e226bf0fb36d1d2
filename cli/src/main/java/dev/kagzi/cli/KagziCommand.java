package dev.kagzi.cli;

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

  private final Session session;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it before anything is called
  private CommandSpec spec;

  @Option(names = {"-h", "--help"}, description = "Explains the command.", scope = ScopeType.INHERIT, usageHelp = true)
  private boolean help;

  @Option(names = "--debug", description = "Shows stack traces, as KAGZI_DEBUG=1 does.", scope = ScopeType.INHERIT)
  private boolean debug;

  @Option(names = "--version", description = "Prints what this is made of.")
  private boolean version;

  private KagziCommand(Session session) {
    this.session = session;
  }

  /** The whole command, ready to take arguments. */
  static CommandLine commandLine(Session session) {
    var root = new KagziCommand(session);
    var commandLine =
        new CommandLine(root)
            .addSubcommand(new DemoCommand(session))
            .addSubcommand(new DevCommand(session))
            .addSubcommand(new ServerCommand(session))
            .addSubcommand(new VersionCommand(session))
            .addSubcommand(new DemoWorkerCommand(session));
    commandLine.setUsageHelpWidth(HELP_WIDTH);
    commandLine.setParameterExceptionHandler(new UsageErrors());
    commandLine.setExecutionExceptionHandler(
        (failure, command, parsed) -> new Failures(session, root.isDebug()).report(failure));
    commandLine.getHelpSectionMap().clear();
    return commandLine;
  }

  private boolean isDebug() {
    return debug || session.isDebug();
  }

  @Override
  public Integer call() {
    session.out().println(version ? Version.line() : Overview.of(spec));
    return ExitCode.OK.number();
  }
}
