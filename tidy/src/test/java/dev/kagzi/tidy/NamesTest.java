package dev.kagzi.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class NamesTest {
  private static final Path MAIN_CODE = Path.of("src", "main", "java");

  private final SourceTree repository = SourceTree.ofRepository();

  @Test
  void noTypeHasAForbiddenName() {
    var offenders =
        NameRules.forbiddenTypeNames(repository.javaFiles()).entrySet().stream()
            .map(found -> repository.nameOf(found.getKey()) + ": " + found.getValue())
            .toList();

    assertThat(offenders).as("find a better noun").isEmpty();
  }

  @Test
  void everyPackageIsIntroducedAndNullMarked() {
    var offenders = mainPackages().filter(folder -> !isNullMarked(folder)).map(Path::toString);

    assertThat(offenders).as("no package-info.java with @NullMarked").isEmpty();
  }

  @Test
  void noticesForbiddenNamesAtAnyDepthButNotInText() {
    var file =
        new SourceFile(
            Path.of("Sample.java"),
            """
            /** Not a class PoolManager. */
            class Sample {
              String text = "class TextHelper {}";
              record RunInfo() {}
              interface Database {}
              enum Utils {}
              void run() { class AbstractRun {} }
            }
            """);

    assertThat(NameRules.forbiddenTypeNames(file))
        .containsExactly("RunInfo", "Utils", "AbstractRun");
  }

  private Stream<Path> mainPackages() {
    return repository.javaFiles().stream()
        .map(file -> Objects.requireNonNull(file.path().getParent()))
        .filter(folder -> folder.toString().contains(MAIN_CODE.toString()))
        .distinct();
  }

  private static boolean isNullMarked(Path folder) {
    var description = folder.resolve("package-info.java");
    return Files.exists(description)
        && SourceFile.read(description).lines().contains("@NullMarked");
  }
}
