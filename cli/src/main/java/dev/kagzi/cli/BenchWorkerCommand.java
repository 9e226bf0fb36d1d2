package dev.kagzi.cli;

import dev.kagzi.bench.kagzi.BenchWorker;
import dev.kagzi.bench.system.Programs;
import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.server.config.LogConfig;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The worker that {@link BenchCommand} starts as a process of its own. */
@Command(name = Programs.WORKER_COMMAND, hidden = true)
final class BenchWorkerCommand implements Callable<Integer> {
  @Option(names = "--address", required = true)
  private String address = "";

  @Option(names = "--queue", required = true)
  private String queue = "";

  @Override
  public Integer call() throws Exception {
    Logging.use(new LogConfig(LogConfig.Format.TEXT, LogConfig.Level.WARN));
    BenchWorker.run(address, queue, System.out, System.in);
    return ExitCode.OK.number();
  }
}
