package dev.kagzi.tidy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** One file of the repository and its text. Immutable and thread-safe. */
public record SourceFile(Path path, String text) {

  public static SourceFile read(Path path) {
    try {
      return new SourceFile(path, Files.readString(path));
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read " + path, e);
    }
  }

  public boolean isJava() {
    return name().endsWith(".java");
  }

  public String name() {
    return String.valueOf(path.getFileName());
  }

  /** The text in lines; carriage returns stay visible, so that rules can object to them. */
  public List<String> lines() {
    var lines = List.of(text.split("\n", -1));
    return text.endsWith("\n") ? lines.subList(0, lines.size() - 1) : lines;
  }
}
