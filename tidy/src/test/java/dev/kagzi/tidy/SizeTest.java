package dev.kagzi.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SizeTest {
  private static final int MAX_LINES = 500;

  @Test
  void noJavaFileIsTooLongToReadInOneGo() {
    var repository = SourceTree.ofRepository();

    var offenders =
        repository.javaFiles().stream()
            .filter(file -> file.lines().size() > MAX_LINES)
            .map(file -> repository.nameOf(file) + " has " + file.lines().size() + " lines")
            .toList();

    assertThat(offenders).as("over %d lines; split by meaning", MAX_LINES).isEmpty();
  }
}
