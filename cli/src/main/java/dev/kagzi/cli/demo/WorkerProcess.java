package dev.kagzi.cli.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;

/** A worker in a process of its own, whose signals become events. */
final class WorkerProcess implements AutoCloseable {
  private static final int TAIL_LINES = 20;

  private final Process process;
  private final Path log;
  private final BlockingQueue<Event> events;

  private WorkerProcess(Process process, Path log, BlockingQueue<Event> events) {
    this.process = process;
    this.log = log;
    this.events = events;
  }

  /**
   * Starts it.
   *
   * @param log where everything goes that it has to say beside its signals
   */
  static WorkerProcess start(List<String> command, Path log, BlockingQueue<Event> events) {
    try {
      var process = new ProcessBuilder(command).redirectError(log.toFile()).start();
      var worker = new WorkerProcess(process, log, events);
      Thread.ofVirtual().name("kagzi-demo-worker-" + process.pid()).start(worker::listen);
      return worker;
    } catch (IOException e) {
      throw new DemoFailedException("a worker process could not be started: " + e.getMessage(), e);
    }
  }

  private void listen() {
    try (var lines = process.inputReader(UTF_8)) {
      for (var line = lines.readLine(); line != null; line = lines.readLine()) {
        Signal.parse(line).ifPresent(this::tell);
      }
    } catch (IOException killed) {
      // The pipe may break while it is read; the end of the process is what counts.
    } finally {
      events.add(new Event.WorkerEnded(System.nanoTime(), pid()));
    }
  }

  private void tell(Signal signal) {
    events.add(new Event.Told(System.nanoTime(), pid(), signal));
  }

  long pid() {
    return process.pid();
  }

  /** Kills it as kill -9 does: it gets no chance to say or write anything. */
  void kill() {
    process.destroyForcibly();
    process.onExit().join();
  }

  /** The last lines of its log. */
  String lastWords() {
    try {
      var lines = Files.readAllLines(log);
      return String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
    } catch (IOException e) {
      return "";
    }
  }

  /** What it has told stays in the pipe, so there is nothing to wait for. */
  @Override
  public void close() {
    kill();
  }
}
