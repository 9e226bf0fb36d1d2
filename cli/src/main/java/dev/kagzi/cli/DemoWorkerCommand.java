package dev.kagzi.cli;

import dev.kagzi.cli.demo.DemoWorker;
import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.server.config.LogConfig;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The worker that {@link DemoCommand} starts, twice, as a process of its own. */
@Command(name = DemoWorkerCommand.NAME, hidden = true)
final class DemoWorkerCommand implements Callable<Integer> {
  static final String NAME = "demo-worker";

  @Option(names = "--address", required = true)
  private String address = "";

  @Option(names = "--ledger", required = true)
  private Path ledger = Path.of("");

  @Option(names = "--wait")
  private boolean waits;

  @Override
  public Integer call() throws Exception {
    Logging.use(new LogConfig(LogConfig.Format.TEXT, LogConfig.Level.WARN));
    new DemoWorker(address, ledger, waits, System.out).runUntilEnd(System.in);
    return ExitCode.OK.number();
  }
}
