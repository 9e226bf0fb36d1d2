package dev.kagzi.postgres;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One running postmaster and the processes below it.
 *
 * <p>A platform thread starts it, reads its log, and lives exactly as long as it does: the kernel
 * ends PostgreSQL together with the thread that started it, see {@link Launcher}.
 */
final class ServerProcess {
  private static final Logger log = LoggerFactory.getLogger(ServerProcess.class);
  private static final int STOP_SECONDS = 30;
  private static final int LAST_BACKEND_SECONDS = 5;

  private final Process process;
  private final int port;
  private final ServerLog serverLog;

  private ServerProcess(Process process, int port, ServerLog serverLog) {
    this.process = process;
    this.port = port;
    this.serverLog = serverLog;
  }

  static ServerProcess start(Launcher launcher, List<String> command, int port, ServerLog serverLog)
      throws IOException {
    var spawned = new CompletableFuture<Process>();
    Thread.ofPlatform()
        .daemon()
        .name("kagzi-postgres-" + port)
        .start(() -> accompany(launcher, command, serverLog, spawned));
    try {
      return new ServerProcess(spawned.join(), port, serverLog);
    } catch (CompletionException e) {
      throw new IOException("Cannot run " + command.getFirst() + ": " + e.getCause(), e);
    }
  }

  private static void accompany(
      Launcher launcher,
      List<String> command,
      ServerLog serverLog,
      CompletableFuture<Process> spawned) {
    try {
      var process = launcher.prepare(command).start();
      spawned.complete(process);
      serverLog.drain(process.getInputStream());
      waitToTheEnd(process);
    } catch (IOException | RuntimeException e) {
      spawned.completeExceptionally(e);
    }
  }

  private static void waitToTheEnd(Process process) {
    process.onExit().join();
  }

  long pid() {
    return process.pid();
  }

  int port() {
    return port;
  }

  boolean isRunning() {
    return process.isAlive();
  }

  ServerLog log() {
    return serverLog;
  }

  /** Ends it in good order: sessions are cut off, committed work is on disk, nothing to recover. */
  void stop() {
    end("INT");
  }

  /** Ends it at once, without a checkpoint; for data that nobody will need again. */
  void discard() {
    end("QUIT");
  }

  /** Ends it like a power cut, and returns when the last process below it is gone. */
  void kill() {
    var backends = process.descendants().map(OtherProcess::new).toList();
    process.destroyForcibly();
    waitToTheEnd(process);
    // They notice by themselves, unless they are deep in a long computation.
    if (!OtherProcess.awaitEnd(backends, LAST_BACKEND_SECONDS)) {
      backends.forEach(backend -> backend.handle().destroyForcibly());
      OtherProcess.awaitEnd(backends, LAST_BACKEND_SECONDS);
    }
  }

  private void end(String signal) {
    try {
      if (process.isAlive()) {
        new OtherProcess(process.toHandle()).signal(signal);
      }
      if (process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        return;
      }
      log.warn("PostgreSQL did not stop within {} s and is killed", STOP_SECONDS);
    } catch (IOException e) {
      log.warn("Cannot signal PostgreSQL, which is killed instead: {}", e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    kill();
  }
}
