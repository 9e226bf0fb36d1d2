package dev.kagzi.postgres;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What is done to a folder with everything in it. */
final class FolderTree {
  private FolderTree() {}

  /** Deletes it; a folder that is not there, or that somebody else deletes meanwhile, is fine. */
  static void delete(Path folder) throws IOException {
    if (Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
      Files.walkFileTree(folder, new Deletion());
    }
  }

  /** Lets everybody read and run what its owner can, whatever the umask was. */
  static void openToAll(Path folder) throws IOException {
    try (Stream<Path> tree = Files.walk(folder)) {
      for (var path : (Iterable<Path>) tree::iterator) {
        allow(path, PosixFilePermission.GROUP_READ, PosixFilePermission.OTHERS_READ);
        if (Files.isExecutable(path)) {
          letOthersPass(path);
        }
      }
    }
  }

  /** Lets others walk through a folder without listing it, or run a program. */
  static void letOthersPass(Path path) throws IOException {
    allow(path, PosixFilePermission.GROUP_EXECUTE, PosixFilePermission.OTHERS_EXECUTE);
  }

  /** Does nothing where there are no POSIX permissions, and to symbolic links, which have none. */
  private static void allow(Path path, PosixFilePermission... more) throws IOException {
    var view = Files.getFileAttributeView(path, PosixFileAttributeView.class);
    if (view == null || Files.isSymbolicLink(path)) {
      return;
    }
    var permissions = view.readAttributes().permissions();
    if (permissions.addAll(List.of(more))) {
      view.setPermissions(permissions);
    }
  }

  private static final class Deletion extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.deleteIfExists(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
      if (failure instanceof NoSuchFileException) {
        return FileVisitResult.CONTINUE;
      }
      throw failure;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException failure)
        throws IOException {
      if (failure != null) {
        throw failure;
      }
      Files.deleteIfExists(folder);
      return FileVisitResult.CONTINUE;
    }
  }
}
