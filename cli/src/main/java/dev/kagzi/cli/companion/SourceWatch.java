package dev.kagzi.cli.companion;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Notices that a file below a folder has come, gone or changed since the last look. It compares
 * times and sizes, because events of file systems are late on some and missing on others. Not
 * thread-safe.
 */
final class SourceWatch {
  /** Enough for a project, and little enough for a look every moment. */
  private static final int MOST_FILES = 20_000;

  private static final int DEEPEST = 40;

  private record Mark(long modified, long size) {}

  private final Path folder;
  private Map<Path, Mark> seen;

  SourceWatch(Path folder) {
    this.folder = folder;
    this.seen = look();
  }

  /** A file that is not as it was at the last look. */
  Optional<Path> changed() {
    var now = look();
    var before = seen;
    seen = now;
    if (now.equals(before)) {
      return Optional.empty();
    }
    return now.entrySet().stream()
        .filter(file -> !file.getValue().equals(before.get(file.getKey())))
        .map(Map.Entry::getKey)
        .findFirst()
        .or(() -> before.keySet().stream().filter(file -> !now.containsKey(file)).findFirst());
  }

  private Map<Path, Mark> look() {
    var marks = new HashMap<Path, Mark>();
    try (var files = Files.walk(folder, DEEPEST)) {
      files.filter(Files::isRegularFile).limit(MOST_FILES).forEach(file -> mark(file, marks));
    } catch (IOException | UncheckedIOException vanished) {
      // A folder that goes while it is walked is a change by itself; the next look sees the rest.
    }
    return marks;
  }

  private static void mark(Path file, Map<Path, Mark> marks) {
    try {
      var modified = Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS).toMillis();
      marks.put(file, new Mark(modified, Files.size(file)));
    } catch (IOException gone) {
      // It is not there any more, which is what its absence says.
    }
  }
}
