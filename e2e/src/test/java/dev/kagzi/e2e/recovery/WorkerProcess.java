package dev.kagzi.e2e.recovery;

import dev.kagzi.e2e.cli.Command;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A {@link WorkerProgram} that runs, is registered and waits for work. */
public record WorkerProcess(Command command, String workerId) implements AutoCloseable {

  /** Starts one that works for servers at an address, or embeds one on the database given. */
  public static WorkerProcess start(Path folder, String server)
      throws IOException, InterruptedException {
    return start(folder, server, PatchProgram.Deploy.AFTER, WorkerProgram.DRAIN_TIMEOUT);
  }

  /** The same before or after a change of the code. */
  static WorkerProcess start(Path folder, String server, PatchProgram.Deploy deploy)
      throws IOException, InterruptedException {
    return start(folder, server, deploy, WorkerProgram.DRAIN_TIMEOUT);
  }

  /** The same with the time it has to finish what it holds after SIGTERM. */
  static WorkerProcess start(Path folder, String server, Duration drainTimeout)
      throws IOException, InterruptedException {
    return start(folder, server, PatchProgram.Deploy.AFTER, drainTimeout);
  }

  private static WorkerProcess start(
      Path folder, String server, PatchProgram.Deploy deploy, Duration drainTimeout)
      throws IOException, InterruptedException {
    var line = Command.java(folder, WorkerProgram.class.getName());
    line.addAll(List.of(folder.toString(), server, deploy.name(), drainTimeout.toString()));
    var command = Command.start(folder, Map.of(), line);
    return new WorkerProcess(command, command.awaitLine("^worker (\\S+)$").group(1));
  }

  long pid() {
    return command.pid();
  }

  @Override
  public void close() {
    command.close();
  }
}
