package dev.kagzi.e2e.chaos;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kagzi.e2e.cli.Command;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A Java process that the harness starts, harms and starts again. Each life logs to a file of its
 * own. Only ever signals the process that it started itself. Thread-safe.
 */
final class Child implements AutoCloseable {
  private static final long LOOK_MILLIS = 50;

  private final String name;
  private final Path folder;
  private final String heap;
  private final Map<String, String> environment;
  private final List<String> arguments;
  private final String readyLine;
  private final String mainClass;
  private Process process;
  private Path log;
  private int lives;

  /**
   * Starts it; does not wait until it is ready.
   *
   * @param readyLine what it logs when it serves
   */
  Child(
      String name,
      Path folder,
      String heap,
      Map<String, String> environment,
      String mainClass,
      List<String> arguments,
      String readyLine)
      throws IOException {
    this.name = name;
    this.folder = folder;
    this.heap = heap;
    this.environment = Map.copyOf(environment);
    this.mainClass = mainClass;
    this.arguments = List.copyOf(arguments);
    this.readyLine = readyLine;
    this.log = nextLog();
    this.process = launch();
  }

  private Path nextLog() {
    return folder.resolve("%s-%d.log".formatted(name, ++lives));
  }

  private Process launch() throws IOException {
    var line = new ArrayList<>(Command.java(folder, mainClass));
    line.addAll(1, List.of("-Xmx" + heap, "-Xss512k", "-XX:+ExitOnOutOfMemoryError"));
    line.addAll(arguments);
    var builder = new ProcessBuilder(line).directory(folder.toFile());
    builder.environment().keySet().removeIf(variable -> variable.startsWith("KAGZI_"));
    builder.environment().putAll(environment);
    return builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
  }

  String name() {
    return name;
  }

  synchronized long pid() {
    return process.pid();
  }

  synchronized boolean isAlive() {
    return process.isAlive();
  }

  /** The file that it logs to. */
  synchronized String logName() {
    return log.getFileName().toString();
  }

  /** How often it was started. */
  synchronized int lives() {
    return lives;
  }

  /** Ends it without a chance to clean up. */
  synchronized void kill() throws InterruptedException {
    process.destroyForcibly();
    process.waitFor();
  }

  /** Starts it anew unless it lives. */
  synchronized void startAgain() throws IOException {
    if (!process.isAlive()) {
      log = nextLog();
      process = launch();
    }
  }

  /** Sends a signal such as {@code STOP}, {@code CONT} or {@code TERM}, if it lives. */
  synchronized void signal(String signal) throws IOException, InterruptedException {
    if (process.isAlive()) {
      signal(signal, process.pid());
    }
  }

  /** Sends a signal to a process that the harness has started, or that it has made itself. */
  static void signal(String signal, long pid) throws IOException, InterruptedException {
    new ProcessBuilder("sh", "-c", "kill -%s %d".formatted(signal, pid)).start().waitFor();
  }

  /** Waits for its end and returns its code; ends it by force if it takes too long. */
  int awaitEnd(long seconds) throws InterruptedException {
    Process ending;
    synchronized (this) {
      ending = process;
    }
    if (!ending.waitFor(seconds, TimeUnit.SECONDS)) {
      ending.destroyForcibly();
    }
    return ending.waitFor();
  }

  /** Waits until it has logged that it serves. */
  void awaitReady(long seconds) throws InterruptedException, TimeoutException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (!isReady()) {
      if (!isAlive() || System.nanoTime() > deadline) {
        throw new TimeoutException(
            "%s is not ready; its log says:%n%s".formatted(name, currentLog()));
      }
      Thread.sleep(LOOK_MILLIS);
    }
  }

  boolean isReady() {
    return currentLog().contains(readyLine);
  }

  private synchronized String currentLog() {
    try {
      return Files.exists(log) ? Files.readString(log, UTF_8) : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The memory it takes now, in kilobytes; 0 if it does not run. */
  synchronized long residentKilobytes() {
    try (var lines = Files.lines(Path.of("/proc/%d/status".formatted(process.pid())))) {
      return lines
          .filter(line -> line.startsWith("VmRSS:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
          .findFirst()
          .orElse(0);
    } catch (IOException | UncheckedIOException gone) {
      return 0;
    }
  }

  @Override
  public synchronized void close() {
    process.destroyForcibly();
    process.onExit().join();
  }
}
