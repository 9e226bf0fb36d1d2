package dev.kagzi.cli;

import dev.kagzi.cli.api.ApiCommand;
import dev.kagzi.cli.batch.BatchCommand;
import dev.kagzi.cli.command.Asked;
import dev.kagzi.cli.completion.CompletionCommand;
import dev.kagzi.cli.config.ConfigCommand;
import dev.kagzi.cli.doctor.DoctorCommand;
import dev.kagzi.cli.fleet.QueueCommand;
import dev.kagzi.cli.fleet.WorkerCommand;
import dev.kagzi.cli.init.InitCommand;
import dev.kagzi.cli.namespace.NamespaceCommand;
import dev.kagzi.cli.schedule.ScheduleCommand;
import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.cli.top.TopCommand;
import dev.kagzi.cli.workflow.RunCommand;
import dev.kagzi.cli.workflow.StepCommand;
import dev.kagzi.cli.workflow.WorkflowCommand;
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
      return commandLine(session, Asked.by(arguments)).execute(arguments);
    } catch (Error brokenInstallation) {
      // picocli hands on exceptions only; a missing class must not look different.
      return new Failures(session, session.isDebug()).report(brokenInstallation);
    }
  }

  /** The whole command, ready to take any arguments. */
  static CommandLine commandLine(Session session) {
    return commandLine(session, Asked.all());
  }

  /** The command, ready to take these arguments. */
  static CommandLine commandLine(Session session, Asked asked) {
    var root = new KagziCommand(session);
    var commandLine = new CommandLine(root);
    // Before there are subcommands, because those keep the usual help.
    commandLine.setHelpSectionKeys(List.of(OVERVIEW));
    commandLine.getHelpSectionMap().put(OVERVIEW, help -> Overview.of(help.commandSpec()));
    asked
        .add(commandLine, ApiCommand.class, () -> new ApiCommand(session))
        .add(commandLine, BatchCommand.class, () -> new BatchCommand(session))
        .add(commandLine, BenchCommand.class, () -> new BenchCommand(session))
        .add(
            commandLine,
            CompletionCommand.class,
            () -> new CompletionCommand(session, () -> commandLine(session)))
        .add(commandLine, ConfigCommand.class, () -> new ConfigCommand(session))
        .add(commandLine, DbCommand.class, () -> DbCommand.commandLine(session))
        .add(commandLine, DemoCommand.class, () -> new DemoCommand(session))
        .add(commandLine, DevCommand.class, () -> withSettings(new DevCommand(session)))
        .add(commandLine, DoctorCommand.class, () -> new DoctorCommand(session, Version.released()))
        .add(commandLine, InitCommand.class, () -> new InitCommand(session, Version.released()))
        .add(commandLine, NamespaceCommand.class, () -> new NamespaceCommand(session))
        .add(commandLine, QueueCommand.class, () -> new QueueCommand(session))
        .add(commandLine, RunCommand.class, () -> new RunCommand(session))
        .add(commandLine, ScheduleCommand.class, () -> ScheduleCommand.of(session, asked.below()))
        .add(commandLine, ServerCommand.class, () -> withSettings(new ServerCommand(session)))
        .add(commandLine, StepCommand.class, () -> new StepCommand(session))
        .add(commandLine, TopCommand.class, () -> new TopCommand(session))
        .add(commandLine, VersionCommand.class, () -> new VersionCommand(session))
        .add(commandLine, WorkerCommand.class, () -> new WorkerCommand(session))
        .add(commandLine, WorkflowCommand.class, () -> WorkflowCommand.of(session, asked.below()))
        .add(commandLine, BenchDriverCommand.class, BenchDriverCommand::new)
        .add(commandLine, BenchWorkerCommand.class, BenchWorkerCommand::new)
        .add(commandLine, DemoWorkerCommand.class, DemoWorkerCommand::new);
    commandLine.setCaseInsensitiveEnumValuesAllowed(true);
    shortenSynopses(commandLine);
    commandLine.setUsageHelpWidth(HELP_WIDTH);
    commandLine.setParameterExceptionHandler(new UsageErrors());
    commandLine.setExecutionExceptionHandler(
        (failure, command, parsed) -> new Failures(session, root.isDebug()).report(failure));
    return commandLine;
  }

  /** Thirty flags in a row explain nothing; they are listed below. */
  private static void shortenSynopses(CommandLine level) {
    for (var command : level.getSubcommands().values()) {
      command.getCommandSpec().usageMessage().abbreviateSynopsis(true);
      shortenSynopses(command);
    }
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
