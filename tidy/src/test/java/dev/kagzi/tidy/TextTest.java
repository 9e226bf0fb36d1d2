package dev.kagzi.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class TextTest {
  @Test
  void everySourceFileIsClean() {
    var repository = SourceTree.ofRepository();

    var offenders =
        repository.files("java", "sql", "proto").stream()
            .flatMap(file ->
                TextRules.objections(file).stream()
                    .map(reason -> repository.nameOf(file) + ":" + reason))
            .toList();

    assertThat(offenders).as("text that does not belong in a source file").isEmpty();
  }

  @Test
  void acceptsACleanFile() {
    assertThat(objections("import java.util.List;\n\nclass Sample {}\n")).isEmpty();
  }

  @Test
  void objectsToStrayWhitespace() {
    assertThat(objections("class Sample { \n\tint x;\r\n}"))
        .containsExactly(
            "1: trailing whitespace",
            "2: trailing whitespace",
            "2: tab",
            "3: the file does not end in a newline");
  }

  @Test
  void objectsToWildcardImportsAndUnfinishedWork() {
    assertThat(objections("import java.util.*;\nimport static a.B.*;\n// TO" + "DO later\n"))
        .containsExactly(
            "1: wildcard import",
            "2: wildcard import",
            "3: unfinished work; finish it or open an issue");
  }

  private static Iterable<String> objections(String text) {
    return TextRules.objections(new SourceFile(Path.of("Sample.java"), text));
  }
}
