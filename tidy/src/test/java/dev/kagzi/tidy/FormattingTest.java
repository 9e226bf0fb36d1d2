package dev.kagzi.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class FormattingTest {
  private final Layout layout = new Layout();

  @Test
  void everyJavaFileHasOurLayout() {
    var repository = SourceTree.ofRepository();

    var offenders =
        repository.javaFiles().parallelStream()
            .filter(file -> !layout.isRespectedBy(file))
            .map(repository::nameOf)
            .toList();

    assertThat(offenders)
        .as("badly formatted; repair with: mvn -q -pl tidy compile exec:exec@format")
        .isEmpty();
  }

  @Test
  void sortsImportsAndRemovesUnusedOnes() throws Exception {
    var file =
        new SourceFile(
            Path.of("Sample.java"),
            """
            import java.util.Set;
            import java.util.Map;
            import java.util.List;
            interface Sample { Set<List<String>> names(); }
            """);

    assertThat(layout.apply(file))
        .isEqualTo(
            """
            import java.util.List;
            import java.util.Set;

            interface Sample {
              Set<List<String>> names();
            }
            """);
  }

  @Test
  void objectsToTextThatIsNotJava() {
    assertThat(layout.isRespectedBy(new SourceFile(Path.of("Sample.java"), "class {\n"))).isFalse();
  }
}
