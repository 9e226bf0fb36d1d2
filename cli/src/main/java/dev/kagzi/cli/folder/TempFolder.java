package dev.kagzi.cli.folder;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A folder that goes with its owner. Immutable. */
public record TempFolder(Path path) implements AutoCloseable {

  /** A new one among the temporary files of this machine. */
  public static TempFolder create(String prefix) {
    try {
      return new TempFolder(Files.createTempDirectory(prefix));
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot create a temporary folder", e);
    }
  }

  /** Deletes it with everything in it. */
  @Override
  public void close() throws IOException {
    FolderTree.delete(path);
  }
}
