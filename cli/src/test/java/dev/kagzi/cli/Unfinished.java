package dev.kagzi.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kagzi.cli.shell.Lifetime;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.cli.shell.Streams;
import dev.kagzi.cli.shell.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;

/** A command that goes on in this JVM until it is told to end, and what it has printed so far. */
public final class Unfinished implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final CompletableFuture<Session> session = new CompletableFuture<>();
  private final CompletableFuture<Integer> code = new CompletableFuture<>();

  private Unfinished() {}

  public static Unfinished start(
      Path folder,
      Map<String, String> environment,
      InputStream in,
      Terminal terminal,
      String... arguments) {
    var command = new Unfinished();
    var print = new PrintStream(command.out, true, UTF_8);
    var streams = new Streams(in, print, print, terminal);
    // A lifetime belongs to the thread that makes it.
    Thread.ofPlatform()
        .start(() -> {
          var own = new Session(environment, folder, streams, new Lifetime());
          command.session.complete(own);
          var end = KagziCommand.run(own, arguments);
          own.lifetime().release();
          command.code.complete(end);
        });
    return command;
  }

  public String out() {
    return out.toString(UTF_8);
  }

  /** Waits until something has been printed. */
  public void await(String text) {
    Awaitility.await(text).atMost(PATIENCE).until(() -> out().contains(text) || code.isDone());
    if (!out().contains(text)) {
      throw new AssertionError("The command ended without '" + text + "':\n" + out());
    }
  }

  /** Waits until the command has ended by itself. */
  public int exitCode() {
    try {
      return code.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      throw new AssertionError("The command did not end:\n" + out(), e);
    }
  }

  /** Ends it as a signal does. */
  public int end() {
    session.join().lifetime().end();
    return exitCode();
  }

  @Override
  public void close() {
    if (!code.isDone()) {
      end();
    }
  }
}
