package dev.kagzi.e2e.recovery;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;

/**
 * The world outside of Kagzi: a file to which every execution of a step appends one line, from
 * whatever process. The order of its lines is the order in which things happened.
 */
public record Ledger(Path file) {

  /** An execution that began: which run, which of its steps, in which process. */
  public record Entry(String run, int step, long pid) {
    private String line() {
      return "%s %d %d%n".formatted(run, step, pid);
    }

    private static Entry parse(String line) {
      var words = line.split(" ", 3);
      return new Entry(words[0], Integer.parseInt(words[1]), Long.parseLong(words[2]));
    }
  }

  private record Step(String run, int number) {}

  public static Ledger in(Path folder) {
    return new Ledger(folder.resolve("ledger"));
  }

  /** One write at the end of the file, which the system does not mix with another one's. */
  void append(String run, int step) throws IOException {
    var entry = new Entry(run, step, ProcessHandle.current().pid());
    try (var channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      channel.write(ByteBuffer.wrap(entry.line().getBytes(UTF_8)));
    }
  }

  List<Entry> entries() throws IOException {
    if (!Files.exists(file)) {
      return List.of();
    }
    var text = Files.readString(file);
    return text.substring(0, text.lastIndexOf('\n') + 1).lines().map(Entry::parse).toList();
  }

  /** How many runs have begun a step in this process. */
  long runsIn(long pid) throws IOException {
    return entries().stream()
        .filter(entry -> entry.pid() == pid)
        .map(Entry::run)
        .distinct()
        .count();
  }

  /** Executions of a step that had been executed before. */
  public List<Entry> repeated() throws IOException {
    var seen = new HashSet<Step>();
    return entries().stream()
        .filter(entry -> !seen.add(new Step(entry.run(), entry.step())))
        .toList();
  }

  /**
   * Executions of a step after a later one of the same run had begun. A later one begins only when
   * the server has acknowledged the end of the earlier one, so these must not be.
   */
  public List<Entry> repeatedAfterAcknowledgement() throws IOException {
    var latest = new HashMap<String, Integer>();
    var repeated = new ArrayList<Entry>();
    for (var entry : entries()) {
      if (latest.merge(entry.run(), entry.step(), Math::max) > entry.step()) {
        repeated.add(entry);
      }
    }
    return repeated;
  }
}
