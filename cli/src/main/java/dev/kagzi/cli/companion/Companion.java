package dev.kagzi.cli.companion;

import dev.kagzi.cli.output.Lengths;
import dev.kagzi.cli.shell.CommandFailedException;
import dev.kagzi.cli.shell.Session;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The user's worker beside a development server. It is started again when its sources change, and
 * when it ends by itself: at once less and less, as long as it does not stay up. Thread-safe.
 */
public final class Companion implements AutoCloseable {
  private static final Duration LOOK = Duration.ofMillis(300);
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final Duration STAYS_UP = Duration.ofSeconds(10);
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

  private final Session session;
  private final List<String> command;
  private final Map<String, String> environment;
  private final @Nullable SourceWatch watch;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread keeper;
  private Duration pause = FIRST_PAUSE;

  private Companion(
      Session session,
      List<String> command,
      Map<String, String> environment,
      Optional<Path> sources,
      ProcessTree first) {
    this.session = session;
    this.command = List.copyOf(command);
    this.environment = Map.copyOf(environment);
    this.watch = sources.map(SourceWatch::new).orElse(null);
    this.keeper = Thread.ofPlatform().name("kagzi-companion").start(() -> keep(first));
  }

  /**
   * Starts it in the working folder.
   *
   * @param environment variables that it gets beside our own
   * @param sources what to watch, if anything
   * @throws CommandFailedException if there is no such program
   */
  public static Companion start(
      Session session,
      List<String> command,
      Map<String, String> environment,
      Optional<Path> sources) {
    var program = command.getFirst();
    if (!Guard.canFind(program, session.folder(), session.variable("PATH"))) {
      throw cannotStart(command, "there is no program '%s'".formatted(program));
    }
    try {
      var first = process(session, command, environment);
      return new Companion(session, command, environment, sources, first);
    } catch (IOException e) {
      throw cannotStart(command, e.getMessage());
    }
  }

  private static CommandFailedException cannotStart(List<String> command, @Nullable String why) {
    return CommandFailedException.usage(
        "the worker's command '%s' cannot be started: %s"
            .formatted(String.join(" ", command), why));
  }

  private static ProcessTree process(
      Session session, List<String> command, Map<String, String> environment) throws IOException {
    var builder = new ProcessBuilder(Guard.around(command)).directory(session.folder().toFile());
    builder.environment().clear();
    builder.environment().putAll(session.environment());
    builder.environment().putAll(environment);
    return ProcessTree.start(builder, line -> say(session, "worker | " + line));
  }

  /** In one piece, because several threads print. */
  private static void say(Session session, String line) {
    session.out().print(line + "\n");
    session.out().flush();
  }

  private void keep(ProcessTree first) {
    var process = first;
    try {
      while (true) {
        var began = System.nanoTime();
        var end = awaitReason(process);
        process.end(PATIENCE);
        if (end == Reason.CLOSED || !prepareNext(end, process, began)) {
          return;
        }
        process = process(session, command, environment);
      }
    } catch (IOException e) {
      say(session, "kagzi: the worker cannot be started again: " + e.getMessage());
    } catch (InterruptedException e) {
      process.end(PATIENCE);
      Thread.currentThread().interrupt();
    }
  }

  /** Why a process is not to go on. */
  private enum Reason {
    CLOSED,
    CHANGED,
    ENDED
  }

  private Reason awaitReason(ProcessTree process) throws InterruptedException {
    while (closing.getCount() > 0) {
      if (process.awaitEnd(LOOK)) {
        return closing.getCount() == 0 ? Reason.CLOSED : Reason.ENDED;
      }
      if (hasChanged()) {
        return Reason.CHANGED;
      }
    }
    return Reason.CLOSED;
  }

  /** Whether there is to be another process, after what has to be said and waited for. */
  private boolean prepareNext(Reason end, ProcessTree process, long began)
      throws InterruptedException {
    if (end == Reason.CHANGED) {
      pause = FIRST_PAUSE;
      return true;
    }
    if (System.nanoTime() - began > STAYS_UP.toNanos()) {
      pause = FIRST_PAUSE;
    }
    say(
        session,
        "kagzi: the worker ended with exit code %d and starts again in %s%s"
            .formatted(
                process.exitCode(),
                Lengths.rough(pause),
                watch == null ? "" : ", or when a source changes"));
    var goesOn = awaitPause();
    pause = min(pause.multipliedBy(2), LONGEST_PAUSE);
    return goesOn;
  }

  private boolean awaitPause() throws InterruptedException {
    var until = System.nanoTime() + pause.toNanos();
    while (System.nanoTime() < until) {
      if (closing.await(LOOK.toMillis(), TimeUnit.MILLISECONDS)) {
        return false;
      }
      if (hasChanged()) {
        pause = FIRST_PAUSE;
        return true;
      }
    }
    return true;
  }

  private static Duration min(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }

  /** Whether sources have changed and now are quiet: editors and build tools write several. */
  private boolean hasChanged() throws InterruptedException {
    if (watch == null) {
      return false;
    }
    var file = watch.changed();
    if (file.isEmpty()) {
      return false;
    }
    while (watch.changed().isPresent()) {
      if (closing.await(LOOK.toMillis(), TimeUnit.MILLISECONDS)) {
        return true;
      }
    }
    say(session, "kagzi: %s changed; the worker starts anew".formatted(session.shown(file.get())));
    return true;
  }

  /** Ends it with everything it has started, and returns when they are gone. */
  @Override
  public void close() {
    closing.countDown();
    try {
      keeper.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
