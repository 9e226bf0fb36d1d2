package dev.kagzi.cli.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;

/**
 * The world outside of Kagzi, in which each step does something that cannot be undone: a file to
 * which it appends one line. The line is on the disk before the step returns, so not even a crash
 * can take it back. For several processes at once.
 */
record Ledger(Path file) {

  /** One side effect: which step, in which process, and when. */
  record Entry(String step, long pid, Instant at) {
    private String line() {
      return "%s %d %s%n".formatted(step, pid, at);
    }

    private static Entry parse(String line) {
      var words = line.split(" ", 3);
      return new Entry(words[0], Long.parseLong(words[1]), Instant.parse(words[2]));
    }
  }

  void append(Entry entry) throws IOException {
    try (var channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      channel.write(ByteBuffer.wrap(entry.line().getBytes(UTF_8)));
      channel.force(true);
    }
  }

  /** Everything that has happened, in that order. */
  List<Entry> entries() throws IOException {
    return Files.exists(file)
        ? Files.readAllLines(file).stream().map(Entry::parse).toList()
        : List.of();
  }
}
