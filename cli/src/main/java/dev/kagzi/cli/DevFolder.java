package dev.kagzi.cli;

import dev.kagzi.cli.folder.FolderTree;
import dev.kagzi.cli.shell.CommandFailedException;
import dev.kagzi.cli.shell.ExitCode;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The folder in which a development server keeps its PostgreSQL between two starts.
 *
 * @param path the folder, as an absolute path
 */
record DevFolder(Path path) {
  private static final String LOCK = "lock";
  private static final Pattern OURS =
      Pattern.compile("data|data\\.tmp-.*|postgres\\.log.*|" + LOCK);

  /** Makes the folder above it, if need be, and keeps it out of the user's repository. */
  void create() {
    var ignored = path.resolveSibling(".gitignore");
    try {
      Files.createDirectories(path);
      if (!Files.exists(ignored)) {
        Files.writeString(ignored, "*\n");
      }
    } catch (IOException e) {
      throw failed("cannot be written", e);
    }
  }

  /**
   * Deletes what is in it, provided that an embedded PostgreSQL put it there and does not run.
   *
   * @throws CommandFailedException if that is not so
   */
  void delete() {
    try {
      if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
        requireOurs();
        deleteLocked();
      }
    } catch (IOException e) {
      throw failed("cannot be deleted", e);
    }
  }

  private void requireOurs() throws IOException {
    var isFolder = Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);
    if (!isFolder || !content().stream().allMatch(DevFolder::isOurs)) {
      throw new CommandFailedException(
          "%s holds files that are not Kagzi's, so --reset does not delete it".formatted(path));
    }
  }

  private static boolean isOurs(Path entry) {
    return OURS.matcher(entry.getFileName().toString()).matches();
  }

  private List<Path> content() throws IOException {
    try (var content = Files.list(path)) {
      return content.toList();
    }
  }

  /** The lock is the one of {@code EmbeddedPostgres}; its file stays, because we hold it. */
  private void deleteLocked() throws IOException {
    var lock = path.resolve(LOCK);
    try (var channel = FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        var held = channel.tryLock()) {
      if (held == null) {
        throw new CommandFailedException(
            "%s is in use by process %s; stop it before --reset"
                .formatted(path, Files.readString(lock).strip()));
      }
      for (var entry : content()) {
        if (!entry.equals(lock)) {
          FolderTree.delete(entry);
        }
      }
    }
  }

  private CommandFailedException failed(String what, IOException cause) {
    return new CommandFailedException(
        ExitCode.ERROR,
        "%s %s: %s (make it writable, work in another folder, or use --ephemeral)"
            .formatted(path, what, inWords(cause)),
        cause);
  }

  /** File system exceptions often carry nothing but the path; their type says the rest. */
  private static String inWords(IOException failure) {
    return failure instanceof AccessDeniedException denied
        ? "permission denied for " + denied.getFile()
        : String.valueOf(failure.getMessage());
  }
}
