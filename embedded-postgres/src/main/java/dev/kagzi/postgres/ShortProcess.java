package dev.kagzi.postgres;

import dev.kagzi.postgres.PostgresStartException.Reason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/**
 * A program that runs to its end, such as initdb, and what it said. It has a platform thread of its
 * own, because {@link Launcher} binds its life to the thread that started it.
 */
record ShortProcess(int exitCode, String output) {
  private static final int LIMIT_SECONDS = 120;

  static ShortProcess run(Launcher launcher, String... command) {
    var result = new CompletableFuture<ShortProcess>();
    Thread.ofPlatform()
        .daemon()
        .name("kagzi-postgres-tool")
        .start(() -> runHere(launcher, List.of(command), result));
    try {
      return result.join();
    } catch (CompletionException e) {
      throw new PostgresStartException(
          Reason.START_FAILED, "Cannot run " + command[0] + ": " + e.getCause(), e);
    }
  }

  private static void runHere(
      Launcher launcher, List<String> command, CompletableFuture<ShortProcess> result) {
    try {
      var process = launcher.prepare(command).start();
      var ended = process.onExit().orTimeout(LIMIT_SECONDS, TimeUnit.SECONDS);
      var killedWhenLate = ended.exceptionally(late -> process.destroyForcibly());
      process.getOutputStream().close();
      var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      killedWhenLate.join();
      result.complete(new ShortProcess(process.onExit().join().exitValue(), output));
    } catch (IOException | RuntimeException e) {
      result.completeExceptionally(e);
    }
  }
}
