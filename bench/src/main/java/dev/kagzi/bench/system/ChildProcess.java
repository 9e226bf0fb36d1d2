package dev.kagzi.bench.system;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A process that this one has started and will end. It also ends when this one does: by itself,
 * because its input ends, or on Linux because the kernel is asked to kill it when the thread is
 * gone that has started it, so start them on a thread that lives as long as the program.
 */
public final class ChildProcess implements AutoCloseable {
  private static final int TAIL_LINES = 15;
  private static final int END_SECONDS = 10;
  private static final long LOOK_MILLIS = 20;
  private static final List<String> BOUND = boundToUs();

  private final String name;
  private final Process process;
  private final Path log;
  private final BlockingQueue<Line> lines = new LinkedBlockingQueue<>();
  private final BufferedWriter input;

  /** What it printed; nothing stands for its end. */
  private record Line(String text, boolean isEnd) {}

  private ChildProcess(String name, Process process, Path log) {
    this.name = name;
    this.process = process;
    this.log = log;
    this.input = process.outputWriter(UTF_8);
    Thread.ofVirtual().name("kagzi-bench-" + name).start(this::listen);
  }

  /**
   * Starts it, with nothing set that the person at the keyboard has set for Kagzi.
   *
   * @param name what it is called in messages
   * @param logs the folder that takes what it writes to its standard error
   */
  static ChildProcess start(
      String name, List<String> command, Map<String, String> environment, Path logs) {
    var line = new ArrayList<>(BOUND);
    line.addAll(command);
    var log = logs.resolve(name + ".log");
    var builder = new ProcessBuilder(line).directory(logs.toFile()).redirectError(log.toFile());
    builder
        .environment()
        .keySet()
        .removeIf(variable -> isForeign(variable.toUpperCase(Locale.ROOT)));
    builder.environment().putAll(environment);
    try {
      return new ChildProcess(name, builder.start(), log);
    } catch (IOException e) {
      throw new BenchFailedException(
          "%s could not be started: %s".formatted(name, e.getMessage()), e);
    }
  }

  private static boolean isForeign(String variable) {
    return variable.startsWith("PG")
        || variable.startsWith("DBOS_")
        || variable.startsWith("RESTATE_")
        || (variable.startsWith("KAGZI_") && !variable.equals("KAGZI_CACHE_DIR"));
  }

  private static List<String> boundToUs() {
    var path = System.getenv().getOrDefault("PATH", "");
    var found =
        Stream.of(path.split(File.pathSeparator, -1))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder).resolve("setpriv")));
    return found && ProcessFigures.isKnown()
        ? List.of("setpriv", "--pdeathsig", "KILL")
        : List.of();
  }

  private void listen() {
    try (var reader = process.inputReader(UTF_8)) {
      for (var line = reader.readLine(); line != null; line = reader.readLine()) {
        lines.add(new Line(line, false));
      }
    } catch (IOException killed) {
      // The pipe may break while it is read; the end of the process is what counts.
    } finally {
      lines.add(new Line("", true));
    }
  }

  public long pid() {
    return process.pid();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** Sends it a line. */
  void tell(String line) {
    try {
      input.write(line);
      input.newLine();
      input.flush();
    } catch (IOException e) {
      throw new BenchFailedException(name + " has ended unexpectedly" + lastWords(), e);
    }
  }

  /** Waits for a line of its standard output in which something is recognised. */
  <T> T await(Function<String, java.util.Optional<T>> recognise, Duration limit)
      throws InterruptedException {
    long deadline = System.nanoTime() + limit.toNanos();
    while (true) {
      var line = lines.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
      if (line == null) {
        throw new BenchFailedException(
            "%s did not answer within %d s%s".formatted(name, limit.toSeconds(), lastWords()));
      }
      if (line.isEnd()) {
        throw new BenchFailedException(name + " has ended unexpectedly" + lastWords());
      }
      var recognised = recognise.apply(line.text());
      if (recognised.isPresent()) {
        return recognised.get();
      }
    }
  }

  /** Waits for a line of its log in which the pattern is found. */
  MatchResult awaitLog(Pattern pattern, Duration limit) throws InterruptedException {
    for (long deadline = System.nanoTime() + limit.toNanos(); ; Thread.sleep(LOOK_MILLIS)) {
      var matcher = pattern.matcher(logText());
      if (matcher.find()) {
        return matcher.toMatchResult();
      }
      if (!process.isAlive() || System.nanoTime() > deadline) {
        throw new BenchFailedException(
            "%s did not get ready within %d s%s".formatted(name, limit.toSeconds(), lastWords()));
      }
    }
  }

  /** Everything it has written to its standard error. */
  public String logText() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      return "";
    }
  }

  private String lastWords() {
    var all = logText().lines().toList();
    var tail = all.subList(Math.max(0, all.size() - TAIL_LINES), all.size());
    return tail.isEmpty() ? "" : "; its last words:\n" + String.join("\n", tail);
  }

  /** Asks it to end, and kills it if it does not. */
  @Override
  public void close() {
    try {
      input.close();
    } catch (IOException gone) {
      // It has ended already, which is what we want.
    }
    process.destroy();
    try {
      if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    process.onExit().join();
  }
}
