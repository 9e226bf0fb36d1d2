package dev.kagzi.cli;

import static dev.kagzi.cli.ServerAtWork.unique;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script and real processes: pipes, signals, exit codes. */
class LauncherTest {
  private static final ServerAtWork SERVER = ServerAtWork.shared();
  private static final long PATIENCE_SECONDS = 60;

  @TempDir Path distribution;

  private final String id = unique("launch");

  /** A distribution whose only jar points at the classes under test. */
  @BeforeEach
  void layOut() throws IOException {
    Files.createDirectories(distribution.resolve("bin"));
    Files.createDirectories(distribution.resolve("lib"));
    Files.copy(
        Path.of("..", "kagzi"),
        distribution.resolve("bin/kagzi"),
        StandardCopyOption.COPY_ATTRIBUTES);
    var manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, ownClassPath());
    try (var jar = Files.newOutputStream(distribution.resolve("lib/kagzi.jar"))) {
      new JarOutputStream(jar, manifest).close();
    }
  }

  private static String ownClassPath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .map(entry -> Path.of(entry).toAbsolutePath().toUri().toString())
        .collect(Collectors.joining(" "));
  }

  /** Runs a line of shell in which {@code kagzi} is the script. */
  private Recorded shell(String line) throws Exception {
    var process = start("sh", "-c", line);
    assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    return recorded(process);
  }

  private Process start(String... line) throws IOException {
    var builder = new ProcessBuilder(line).directory(distribution.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("KAGZI_"));
    builder.environment().put("HOME", distribution.toString());
    builder.environment().put("KAGZI_JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("KAGZI_ADDRESS", SERVER.address());
    builder.environment().merge("PATH", "", (path, none) -> distribution + "/bin:" + path);
    return builder
        .redirectOutput(distribution.resolve("out").toFile())
        .redirectError(distribution.resolve("err").toFile())
        .start();
  }

  private Recorded recorded(Process process) throws IOException {
    return new Recorded(process.exitValue(), text("out"), text("err"));
  }

  private String text(String stream) throws IOException {
    return Files.readString(distribution.resolve(stream), UTF_8);
  }

  @Test
  void pipesIdsFromOneCommandToTheNext() throws Exception {
    SERVER.client().start(ServerAtWork.NAP).id(id).input("x").label("test", id).send();

    var piped =
        shell("kagzi wf list --label test=%s -o ids | kagzi wf cancel - --yes".formatted(id));

    assertThat(piped.code()).as(piped.err()).isZero();
    assertThat(piped.out()).matches("[0-9a-f]{8}  nap  cancelled\n");
    assertThat(piped.err()).isEmpty();
  }

  @Test
  void printsTheOutputAloneAndEndsWithTheCodeOfTheRun() throws Exception {
    var greeted = shell("echo '\"Ada\"' | kagzi run greet - --timeout 30s");
    var failed = shell("kagzi run charge-card '\"%s\"' -q".formatted(id));
    var unknown = shell("kagzi wf show %s".formatted(id));

    assertThat(greeted.out()).as(greeted.err()).isEqualTo("\"Hello, Ada!\"\n");
    assertThat(greeted.code()).isZero();
    assertThat(failed.code()).isEqualTo(5);
    assertThat(failed.err()).hasLineCount(1).contains("card declined: " + id);
    assertThat(unknown.code()).isEqualTo(4);
    assertThat(unknown.err()).contains("no run '" + id + "'").doesNotContain("Exception");
  }

  @Test
  void ctrlCLeavesTheRunRunningAndSaysSo() throws Exception {
    // A shell's background jobs ignore SIGINT, and whatever they start inherits that.
    var process =
        start("env", "--default-signal=INT", "kagzi", "run", "approve", "\"x\"", "--id", id);
    Awaitility.await()
        .atMost(Duration.ofSeconds(PATIENCE_SECONDS))
        .until(() -> text("err").contains("waits for event 'approved'"));

    var kill = new ProcessBuilder("sh", "-c", "kill -INT " + process.pid()).start();

    assertThat(kill.waitFor()).isZero();
    assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isEqualTo(130);
    assertThat(text("err")).contains("the run goes on: kagzi wf result ");
    assertThat(SERVER.kagzi("wf", "show", id).out()).contains("SLEEPING");
    assertThat(SERVER.kagzi("wf", "cancel", id).code()).isZero();
  }
}
