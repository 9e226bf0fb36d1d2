package dev.kagzi.cli.workflow;

import dev.kagzi.cli.command.Asked;
import dev.kagzi.cli.shell.Session;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Everything about runs. */
@Command(
    name = "workflow",
    aliases = "wf",
    description = "Lists, starts, explains, cancels and repeats runs.",
    footer = "Example: kagzi workflow list --status failed --since 1h")
public final class WorkflowCommand {
  private WorkflowCommand() {}

  /** The noun with its verbs. */
  public static CommandLine of(Session session, Asked asked) {
    var level = new CommandLine(new WorkflowCommand());
    asked
        .add(level, ListCommand.class, () -> new ListCommand(session))
        .add(level, CountCommand.class, () -> new CountCommand(session))
        .add(level, ShowCommand.class, () -> new ShowCommand(session))
        .add(level, StartCommand.class, () -> new StartCommand(session))
        .add(level, ExplainCommand.class, () -> new ExplainCommand(session))
        .add(level, TraceCommand.class, () -> new TraceCommand(session))
        .add(level, ResultCommand.class, () -> new ResultCommand(session))
        .add(level, CancelCommand.class, () -> new CancelCommand(session))
        .add(level, RetryCommand.class, () -> new RetryCommand(session))
        .add(level, ForkCommand.class, () -> new ForkCommand(session))
        .add(level, SendCommand.class, () -> new SendCommand(session))
        .add(level, DeleteCommand.class, () -> new DeleteCommand(session))
        .add(level, ExportCommand.class, () -> new ExportCommand(session));
    return level;
  }
}
