package dev.kagzi.cli;

import dev.kagzi.cli.demo.Demo;
import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.server.config.LogConfig;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** Kills a worker and shows that nothing is lost or done twice. */
@Command(
    name = "demo",
    description = "Kills a worker half-way through a run, and shows the run go on elsewhere.",
    footer = "Example: kagzi demo")
final class DemoCommand implements Callable<Integer> {
  private final Session session;

  DemoCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() throws Exception {
    // The server warns about the worker that we kill, which is not news to anybody here.
    Logging.use(new LogConfig(LogConfig.Format.TEXT, LogConfig.Level.ERROR));
    new Demo(session, OwnProgram.command(DemoWorkerCommand.NAME)).run();
    return ExitCode.OK.number();
  }
}
