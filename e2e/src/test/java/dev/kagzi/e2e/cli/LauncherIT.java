package dev.kagzi.e2e.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.e2e.Lanes;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** The script, in a distribution whose only jar points at the classes under test. */
@ResourceLock(Lanes.COMMAND)
class LauncherIT {
  private static final Path SCRIPT = Path.of("..", "kagzi");

  @TempDir Path distribution;

  @BeforeEach
  void layOut() throws IOException {
    Files.createDirectories(distribution.resolve("bin"));
    Files.createDirectories(distribution.resolve("lib"));
    Files.copy(SCRIPT, script(), StandardCopyOption.COPY_ATTRIBUTES);
    var manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, ownClassPath());
    try (var jar = Files.newOutputStream(distribution.resolve("lib/kagzi.jar"))) {
      new JarOutputStream(jar, manifest).close();
    }
  }

  private Path script() {
    return distribution.resolve("bin/kagzi");
  }

  private static String ownClassPath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .map(entry -> Path.of(entry).toAbsolutePath().toUri().toString())
        .collect(Collectors.joining(" "));
  }

  @Test
  void findsAJavaAndPassesArgumentsAndExitCodesOn() throws Exception {
    try (var version = launch(Map.of(), "version");
        var unknown = launch(Map.of(), "no such thing")) {
      assertThat(version.exitCode()).as(version.err()).isZero();
      assertThat(version.out()).startsWith("kagzi ");
      assertThat(unknown.exitCode()).isEqualTo(2);
      assertThat(unknown.err()).contains("unknown command 'no such thing'");
    }
  }

  @Test
  void saysWhatIsWrongWithTheJavaThatWasNamed() throws Exception {
    try (var launch = launch(Map.of("KAGZI_JAVA_HOME", distribution.toString()), "version")) {
      assertThat(launch.exitCode()).isEqualTo(1);
      assertThat(launch.err()).hasLineCount(1).contains("KAGZI_JAVA_HOME", "holds no Java");
    }
  }

  private Command launch(Map<String, String> environment, String... arguments) throws IOException {
    var line = new ArrayList<>(List.of(script().toString()));
    line.addAll(List.of(arguments));
    var variables = new HashMap<>(environment);
    // Nothing is left behind for a distribution that goes with the test.
    variables.put("KAGZI_JAVA_OPTS", "-Xshare:auto");
    return Command.start(distribution, variables, line);
  }
}
