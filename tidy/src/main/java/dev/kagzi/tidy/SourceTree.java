package dev.kagzi.tidy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The hand-written files below a folder: build output, generated code and hidden folders are left
 * out. Immutable and thread-safe; every call reads the disk anew.
 */
public record SourceTree(Path root) {
  private static final Set<String> SKIPPED_FOLDERS =
      Set.of("target", "generated", "generated-sources", "generated-test-sources", "node_modules");

  public SourceTree {
    root = root.toAbsolutePath().normalize();
  }

  /** The whole repository, seen from the folder of a module, where Maven runs its tests. */
  public static SourceTree ofRepository() {
    var module = Path.of(System.getProperty("basedir", "")).toAbsolutePath();
    var parent = module.getParent();
    if (parent == null || !Files.exists(parent.resolve("pom.xml"))) {
      throw new IllegalStateException("working folder: " + module + " (expected: a Maven module)");
    }
    return new SourceTree(parent);
  }

  public List<SourceFile> javaFiles() {
    return files("java");
  }

  /** All files with one of these extensions, in the order of their paths. */
  public List<SourceFile> files(String... extensions) {
    var found = new Collector(root, Set.of(extensions));
    try {
      Files.walkFileTree(root, found);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot walk " + root, e);
    }
    return found.paths.stream().sorted().map(SourceFile::read).toList();
  }

  /** How to name a file in a message: short, and clickable from the repository root. */
  public String nameOf(SourceFile file) {
    return root.relativize(file.path()).toString();
  }

  private static final class Collector extends SimpleFileVisitor<Path> {
    private final List<Path> paths = new ArrayList<>();
    private final Path root;
    private final Set<String> extensions;

    Collector(Path root, Set<String> extensions) {
      this.root = root;
      this.extensions = extensions;
    }

    @Override
    public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
      var name = String.valueOf(folder.getFileName());
      var skipped = SKIPPED_FOLDERS.contains(name) || name.startsWith(".");
      return skipped && !folder.equals(root)
          ? FileVisitResult.SKIP_SUBTREE
          : FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      var name = String.valueOf(file.getFileName());
      if (extensions.contains(name.substring(name.lastIndexOf('.') + 1))) {
        paths.add(file);
      }
      return FileVisitResult.CONTINUE;
    }

    /** Somebody else's build may delete a folder while we walk through it. */
    @Override
    public FileVisitResult visitFileFailed(Path file, IOException failure) {
      return FileVisitResult.CONTINUE;
    }
  }
}
