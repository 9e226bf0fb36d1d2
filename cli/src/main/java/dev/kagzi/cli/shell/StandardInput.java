package dev.kagzi.cli.shell;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * The standard input, read so that a signal ends it at once: who reads a terminal or a pipe hears
 * no interrupt, and is left behind on a thread of its own. Stateless.
 */
public final class StandardInput {
  private StandardInput() {}

  /**
   * Everything up to the end.
   *
   * @throws CancellationException if the command was told to end meanwhile
   */
  public static String text(Session session) throws IOException {
    return read(() -> new String(session.in().readAllBytes(), UTF_8));
  }

  /**
   * One line; empty where there is none.
   *
   * @throws CancellationException if the command was told to end meanwhile
   */
  public static String line(Session session) throws IOException {
    return read(() -> {
      var line = new BufferedReader(new InputStreamReader(session.in(), UTF_8)).readLine();
      return line == null ? "" : line;
    });
  }

  private static String read(Callable<String> reading) throws IOException {
    var task = new FutureTask<>(reading);
    Thread.ofPlatform().daemon().name("kagzi-stdin").start(task);
    try {
      return task.get();
    } catch (InterruptedException told) {
      throw new CancellationException("the command was told to end");
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException broken ? broken : new IOException(e.getCause());
    }
  }
}
