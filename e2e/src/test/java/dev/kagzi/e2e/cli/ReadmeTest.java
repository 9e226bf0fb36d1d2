package dev.kagzi.e2e.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ReadmeTest {
  private static final Path README = Path.of("..", "README.md");
  private static final Path HELLO =
      Path.of("..", "examples/src/main/java/dev/kagzi/examples/Hello.java");

  @Test
  void showsTheHelloThatTheTestsRun() throws IOException {
    assumeTrue(Files.exists(README), "there is no README.md yet");

    var program = Files.readString(HELLO).replaceFirst("(?s)^package .*?;\\s*", "");

    assertThat(Files.readString(README)).contains(program);
  }
}
