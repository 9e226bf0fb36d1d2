package dev.kagzi.tidy;

import com.google.googlejavaformat.java.FormatterException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Rewrites Java files in our layout: {@code mvn -q -pl tidy compile exec:exec@format}.
 *
 * <p>A file that is not valid Java is named and left alone, and the exit code is then 1. A file
 * that somebody saves while it is being formatted keeps what was saved.
 */
public final class FormatSources {
  private final Layout layout = new Layout();
  private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();

  private FormatSources() {}

  /** Takes the repository folder and, inside it, the file or folder to format. */
  public static void main(String[] args) {
    if (args.length != 2) {
      throw new IllegalArgumentException("arguments: " + args.length + " (expected: 2)");
    }
    var program = new FormatSources();
    var rewritten = program.run(Path.of(args[0]).resolve(args[1]).normalize());
    rewritten.forEach(path -> System.out.println("formatted " + path));
    program.failures.forEach(System.err::println);
    if (!program.failures.isEmpty()) {
      System.exit(1);
    }
  }

  private List<Path> run(Path start) {
    return new SourceTree(start)
        .javaFiles().parallelStream().filter(this::rewrite).map(SourceFile::path).toList();
  }

  private boolean rewrite(SourceFile file) {
    try {
      var formatted = layout.apply(file);
      if (formatted.equals(file.text()) || !SourceFile.read(file.path()).equals(file)) {
        return false;
      }
      Files.writeString(file.path(), formatted);
      return true;
    } catch (FormatterException e) {
      failures.add("not formatted: " + file.path() + "\n  " + e.getMessage());
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot write " + file.path(), e);
    }
  }
}
