package dev.kagzi.cli.companion;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * A process with everything it has started: a build tool is not the worker but has it as a child.
 * Thread-safe.
 */
final class ProcessTree {
  private final Process root;
  private final Thread reader;

  private ProcessTree(Process root, Consumer<String> lines) {
    this.root = root;
    this.reader = Thread.ofVirtual().name("kagzi-companion").start(() -> read(lines));
  }

  /**
   * Starts it; everything it says on either stream comes line by line. Its standard input stays
   * open as long as we live, which is how it notices that we do not.
   */
  static ProcessTree start(ProcessBuilder builder, Consumer<String> lines) throws IOException {
    return new ProcessTree(builder.redirectErrorStream(true).start(), lines);
  }

  private void read(Consumer<String> lines) {
    try (var said = root.inputReader(UTF_8)) {
      for (var line = said.readLine(); line != null; line = said.readLine()) {
        lines.accept(line);
      }
    } catch (IOException broken) {
      // The pipe may break while it is read; the end of the process is what counts.
    }
  }

  /** Waits for the end of the process that was started; false if it still runs then. */
  boolean awaitEnd(Duration limit) throws InterruptedException {
    return root.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
  }

  int exitCode() {
    return root.exitValue();
  }

  /** Asks all to end, and kills those that have not after a while. */
  void end(Duration patience) {
    var all = members();
    all.forEach(ProcessHandle::destroy);
    if (!haveEnded(all, patience)) {
      // Whoever was started meanwhile has a parent among those that were there.
      all.addAll(members());
      all.forEach(ProcessHandle::destroyForcibly);
      haveEnded(all, patience);
    }
    awaitLastWords(patience);
  }

  private Set<ProcessHandle> members() {
    var members = new HashSet<ProcessHandle>();
    root.descendants().forEach(members::add);
    members.add(root.toHandle());
    return members;
  }

  private static boolean haveEnded(Set<ProcessHandle> processes, Duration patience) {
    var ends = processes.stream().map(ProcessHandle::onExit).toArray(CompletableFuture<?>[]::new);
    try {
      CompletableFuture.allOf(ends).get(patience.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException | ExecutionException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private void awaitLastWords(Duration patience) {
    try {
      reader.join(patience);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
