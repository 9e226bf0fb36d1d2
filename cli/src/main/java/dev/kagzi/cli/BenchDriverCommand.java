package dev.kagzi.cli;

import dev.kagzi.bench.DriverProgram;
import dev.kagzi.bench.system.Programs;
import dev.kagzi.bench.system.SystemName;
import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.server.config.LogConfig;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The process that {@link BenchCommand} starts to drive one of the systems. */
@Command(name = Programs.DRIVER_COMMAND, hidden = true)
final class BenchDriverCommand implements Callable<Integer> {
  @Option(names = "--system", required = true)
  private String system = "";

  @Option(names = "--at", required = true)
  private String at = "";

  @Option(names = "--queue", required = true)
  private String queue = "";

  @Override
  public Integer call() throws Exception {
    Logging.use(new LogConfig(LogConfig.Format.TEXT, LogConfig.Level.WARN));
    DriverProgram.run(SystemName.of(system).orElseThrow(), at, queue, System.in, System.out);
    return ExitCode.OK.number();
  }
}
