package dev.kagzi.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.kagzi.postgres.SharedPostgres;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The launcher prepares the classes of short commands and keeps the jars of long ones, in a
 * distribution, or a checkout, of the classes here.
 */
class LauncherTest {
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  @TempDir Path distribution;
  private Path lib;
  private Path prepared;

  @BeforeEach
  void layOut() throws IOException {
    lib = Files.createDirectories(distribution.resolve("lib"));
    prepared = distribution.resolve("cache/classes");
    Files.createDirectories(distribution.resolve("bin"));
    Files.copy(
        Path.of("..", "kagzi"),
        distribution.resolve("bin/kagzi"),
        StandardCopyOption.COPY_ATTRIBUTES);
    var number = 0;
    for (var entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      var path = Path.of(entry);
      var target = lib.resolve(number++ + ".jar");
      if (Files.isDirectory(path)) {
        pack(path, target);
      } else if (Files.exists(path)) {
        Files.copy(path, target);
      }
    }
  }

  private static void pack(Path folder, Path target) throws IOException {
    try (var jar = new JarOutputStream(Files.newOutputStream(target));
        var files = Files.walk(folder)) {
      // Migrations are looked for in a folder, so folders must be there as well.
      for (var file : files.filter(file -> !file.equals(folder)).toList()) {
        var isFolder = Files.isDirectory(file);
        jar.putNextEntry(new ZipEntry(folder.relativize(file) + (isFolder ? "/" : "")));
        if (!isFolder) {
          Files.copy(file, jar);
        }
        jar.closeEntry();
      }
    }
  }

  private String kagzi(Map<String, String> environment, String... arguments)
      throws IOException, InterruptedException {
    var process = launch(distribution.resolve("bin/kagzi"), environment, arguments).start();
    var said = new String(process.getInputStream().readAllBytes(), UTF_8);
    process.waitFor();
    return said;
  }

  private ProcessBuilder launch(Path script, Map<String, String> environment, String... arguments) {
    var line = new ArrayList<>(List.of(script.toString()));
    line.addAll(List.of(arguments));
    var builder = new ProcessBuilder(line).directory(distribution.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("KAGZI_"));
    builder.environment().put("KAGZI_JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("KAGZI_CACHE_DIR", distribution.resolve("cache").toString());
    builder.environment().putAll(environment);
    return builder.redirectErrorStream(true);
  }

  private List<Path> files() throws IOException {
    if (!Files.exists(prepared)) {
      return List.of();
    }
    try (var files = Files.list(prepared)) {
      return files.toList();
    }
  }

  /** Made, and nobody at work on another. */
  private Path awaitPrepared() {
    return await()
        .atMost(PATIENCE)
        .until(
            this::files, files -> files.size() == 1 && files.getFirst().toString().endsWith(".aot"))
        .getFirst();
  }

  @Test
  void preparesClassesForTheNextCommandAndAnewForOtherJars() throws Exception {
    assertThat(kagzi(Map.of(), "version")).startsWith("kagzi ").hasLineCount(1);
    var first = awaitPrepared();

    var loaded = distribution.resolve("loaded.txt");
    var options = Map.of("KAGZI_JAVA_OPTS", "-Xlog:class+load:file=" + loaded);
    assertThat(kagzi(options, "config", "path")).hasLineCount(1);
    assertThat(loaded).content().containsPattern("dev.kagzi.cli.Main source: shared objects file");

    Files.writeString(lib.resolve("new.txt"), "another content");
    assertThat(kagzi(Map.of(), "version")).hasLineCount(1);
    await().atMost(PATIENCE).until(() -> !Files.exists(first));
    assertThat(awaitPrepared()).isNotEqualTo(first);
  }

  @Test
  void collectsGarbageAsFitsTheCommandUnlessTheUserHasChosen() throws Exception {
    assertThat(flags("", "server", "--help")).contains("-XX:+UseParallelGC");
    assertThat(flags("", "version")).contains("-XX:+UseSerialGC");
    assertThat(flags("-XX:+UseG1GC ", "server", "--help"))
        .contains("-XX:+UseG1GC")
        .doesNotContain("ParallelGC");
  }

  @Test
  void beginsWithASmallHeapUnlessTheUserHasSaidHowLargeItIsToBe() throws Exception {
    assertThat(flags("", "server", "--help")).contains("-XX:InitialHeapSize=100663296 ");
    assertThat(flags("-Xmx64m ", "server", "--help"))
        .contains("-XX:MaxHeapSize=67108864 ")
        .doesNotContain("-XX:InitialHeapSize=100663296 ");
    assertThat(flags("-Xms32m ", "server", "--help")).contains("-XX:InitialHeapSize=33554432 ");
  }

  private String flags(String options, String... arguments) throws Exception {
    return kagzi(Map.of("KAGZI_JAVA_OPTS", options + "-XX:+PrintCommandLineFlags"), arguments);
  }

  @Test
  void leavesItWhereSomebodyHasOtherIdeas() throws Exception {
    assertThat(kagzi(Map.of("KAGZI_JAVA_OPTS", "-Xshare:auto"), "version")).hasLineCount(1);

    assertThat(files()).isEmpty();
  }

  /** A checkout that has been built. */
  private Path checkout() throws IOException {
    var checkout = Files.createDirectories(distribution.resolve("checkout"));
    Files.createFile(checkout.resolve("pom.xml"));
    Files.move(distribution.resolve("bin/kagzi"), checkout.resolve("kagzi"));
    Files.createDirectories(checkout.resolve("cli/target/dist"));
    lib = Files.move(lib, checkout.resolve("cli/target/dist/lib"));
    return checkout;
  }

  @Test
  void aBuildDoesNotBreakWhatRunsInACheckout() throws Exception {
    var checkout = checkout();
    var gone = new ProcessBuilder("true").start();
    gone.waitFor();
    var left = Files.createDirectories(checkout.resolve(".kagzi/jars/" + gone.pid()));
    var said = distribution.resolve("said.txt");
    var database = SharedPostgres.freshDatabase().replace("jdbc:", "");
    var dev =
        launch(
                checkout.resolve("kagzi"),
                Map.of("KAGZI_SKIP_BUILD", "1"),
                "dev",
                "--port=0",
                "--http-port=0",
                "--database-url=" + database)
            .redirectOutput(said.toFile())
            .start();
    try {
      await()
          .atMost(PATIENCE)
          .until(() -> Files.readString(said).contains("Ctrl-C stops it") || !dev.isAlive());
      assertThat(said).content().contains("Ctrl-C stops it");

      // Maven deletes some jars and writes others anew, where they are.
      for (var jar : jars()) {
        Files.write(jar, new byte[0]);
      }
      dev.destroy();

      assertThat(dev.waitFor()).isEqualTo(143);
      assertThat(said).content().endsWith("stopped\n").doesNotContain("Exception", "Error");
      assertThat(left).doesNotExist();
    } finally {
      dev.destroyForcibly();
    }
  }

  private List<Path> jars() throws IOException {
    try (var files = Files.list(lib)) {
      return files.toList();
    }
  }
}
