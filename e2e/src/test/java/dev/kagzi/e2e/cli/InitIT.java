package dev.kagzi.e2e.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kagzi.e2e.Lanes;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** A project as {@code kagzi init} makes it, built by nothing but its own {@code pom.xml}. */
@ResourceLock(Lanes.COMMAND)
class InitIT {
  private static final int PATIENCE_SECONDS = 180;
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path JARS = ROOT.resolve("cli/target/dist/lib");
  private static final List<String> MODULES =
      List.of("core", "proto", "sdk", "engine", "server", "embedded", "embedded-postgres");

  @TempDir Path folder;

  @Test
  void theProjectTestsItself() throws Exception {
    assumeTrue(isOnThePath("mvn"), "building a project takes mvn, which is not on the PATH");
    var version = version();
    var repository = repositoryWith(version);
    try (var init = Command.kagzi(folder, "init", "hello", "--kagzi-version", version)) {
      assertThat(init.exitCode()).as(init.err()).isZero();
    }

    // Not offline: who builds a project first needs descriptions of artifacts that nobody else
    // does.
    var build = List.of("mvn", "-q", "-Dmaven.repo.local=" + repository, "test");
    try (var maven = Command.start(folder.resolve("hello"), Map.of(), build)) {
      assertThat(maven.exitCodeWithin(PATIENCE_SECONDS)).as(maven.out()).isZero();
    }
    assertThat(folder.resolve("hello/target/surefire-reports/hello.HelloTest.txt"))
        .content()
        .contains("Tests run: 1, Failures: 0, Errors: 0, Skipped: 0");
  }

  private static boolean isOnThePath(String program) {
    var path = System.getenv().getOrDefault("PATH", "");
    return Stream.of(path.split(File.pathSeparator, -1))
        .anyMatch(place -> Files.isExecutable(Path.of(place, program)));
  }

  /** That of the jars which this build has made. */
  private static String version() throws IOException {
    try (var jars = Files.list(JARS)) {
      return jars.map(jar -> jar.getFileName().toString())
          .filter(name -> name.startsWith("kagzi-sdk-"))
          .map(name -> name.substring("kagzi-sdk-".length(), name.length() - ".jar".length()))
          .findFirst()
          .orElseThrow();
    }
  }

  /** What {@code mvn install} would leave behind, without a change of anybody's own repository. */
  private Path repositoryWith(String version) throws IOException {
    var repository = folder.resolve("repository");
    var kagzi = Files.createDirectories(repository.resolve("dev/kagzi"));
    link(users(), repository);
    link(users().resolve("dev"), repository.resolve("dev"));
    put(ROOT.resolve("pom.xml"), kagzi, "kagzi-parent", version, "pom");
    for (var module : MODULES) {
      var name = "kagzi-" + module;
      put(ROOT.resolve(module + "/pom.xml"), kagzi, name, version, "pom");
      put(JARS.resolve(name + "-" + version + ".jar"), kagzi, name, version, "jar");
    }
    return repository;
  }

  /** Where the build that runs this test has everything from. */
  private static Path users() {
    var home = Path.of(System.getProperty("user.home"), ".m2/repository");
    return Path.of(System.getProperty("localRepository", home.toString()));
  }

  /** Everything of one folder in another, but for what that has of its own. */
  private static void link(Path from, Path to) throws IOException {
    if (!Files.isDirectory(from)) {
      return;
    }
    try (var entries = Files.newDirectoryStream(from)) {
      for (var entry : entries) {
        var link = to.resolve(entry.getFileName());
        if (!Files.exists(link)) {
          Files.createSymbolicLink(link, entry);
        }
      }
    }
  }

  private static void put(Path file, Path group, String artifact, String version, String type)
      throws IOException {
    var place = Files.createDirectories(group.resolve(artifact).resolve(version));
    Files.copy(file, place.resolve("%s-%s.%s".formatted(artifact, version, type)));
  }
}
