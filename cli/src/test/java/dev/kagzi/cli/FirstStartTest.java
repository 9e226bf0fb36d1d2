package dev.kagzi.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The first start on a machine, where PostgreSQL has to be unpacked and somebody else is at it: in
 * a process of its own, because the place of PostgreSQL is a variable of the process.
 */
class FirstStartTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final String PROGRESS = "starting a PostgreSQL (for the first time it is";
  private static final String CLEAR = "\r\u001b[K";
  private static final int CTRL_C = 3;

  /** Whoever runs the tests in the background may have told all below not to hear Ctrl-C. */
  private static final String HEARING = "env --default-signal=INT,HUP ";

  @TempDir Path folder;
  private Path cache;
  private Path said;
  private @Nullable Process process;

  @BeforeEach
  void layOut() throws IOException {
    cache = Files.createDirectory(folder.resolve("cache"));
    said = folder.resolve("said.txt");
  }

  @AfterEach
  void endWhatIsLeft() {
    if (process != null) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  private Process start(List<String> line) throws IOException {
    var builder = new ProcessBuilder(line).directory(folder.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("KAGZI_"));
    builder.environment().put("KAGZI_CACHE_DIR", cache.toString());
    builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
    builder.environment().put("TERM", "xterm");
    var started = builder.redirectErrorStream(true).redirectOutput(said.toFile()).start();
    process = started;
    return started;
  }

  private static String kagzi(String arguments) {
    var java = Path.of(System.getProperty("java.home"), "bin", "java");
    return "'%s' -XX:TieredStopAtLevel=1 -XX:+UseSerialGC --enable-native-access=ALL-UNNAMED %s %s"
        .formatted(
            java, "--sun-misc-unsafe-memory-access=allow", "dev.kagzi.cli.Main " + arguments);
  }

  /** On a terminal that {@code script} makes. */
  private Process onATerminal(String arguments) throws IOException, InterruptedException {
    assumeTrue(canMakeATerminal(), "no terminal can be made here");
    return start(terminal(kagzi(arguments)));
  }

  private static List<String> terminal(String line) {
    return List.of("script", "-qec", HEARING + line, "/dev/null");
  }

  private static boolean canMakeATerminal() throws InterruptedException {
    try {
      return new ProcessBuilder(terminal("true")).start().waitFor() == 0;
    } catch (IOException missing) {
      return false;
    }
  }

  private FileChannel somebodyElseAtIt() throws IOException {
    var channel =
        FileChannel.open(
            cache.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    assertThat(channel.lock().isValid()).isTrue();
    return channel;
  }

  private void awaitSaid(Process process, String text) {
    await(text)
        .atMost(PATIENCE)
        .until(() -> Files.readString(said).contains(text) || !process.isAlive());
    assertThat(said).content().contains(text);
  }

  private static int interrupt(Process process) throws IOException, InterruptedException {
    process.getOutputStream().write(CTRL_C);
    process.getOutputStream().flush();
    return end(process);
  }

  private static int end(Process process) throws InterruptedException {
    assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).as("ended").isTrue();
    return process.exitValue();
  }

  @Test
  void tellsAPersonWhatItDoesAndTakesThatBack() throws Exception {
    Process dev;
    try (var other = somebodyElseAtIt()) {
      assertThat(other.isOpen()).isTrue();
      dev = onATerminal("dev --port=0 --http-port=0");
      awaitSaid(dev, PROGRESS);
    }
    awaitSaid(dev, "Ctrl-C stops it");

    assertThat(said)
        .content()
        .containsPattern("\\r\\x1b\\[K[\\d:.]+ INFO +BinaryCache +Unpacking PostgreSQL into")
        .contains(CLEAR + "\r\n  kagzi ");
    assertThat(interrupt(dev)).isEqualTo(130);
    assertThat(said).content().endsWith("stopped\r\n");
  }

  @Test
  void theDemoTellsItToo() throws Exception {
    Process demo;
    try (var other = somebodyElseAtIt()) {
      assertThat(other.isOpen()).isTrue();
      demo = onATerminal("demo");
      awaitSaid(demo, PROGRESS);
    }

    assertThat(interrupt(demo)).isEqualTo(130);
  }

  @Test
  void writesNothingIntoAPipeThatATerminalWouldTakeBack() throws Exception {
    var line = "exec " + kagzi("dev --port=0 --http-port=0 --log-format=text");
    var dev = start(List.of("sh", "-c", line));
    awaitSaid(dev, "Ctrl-C stops it");
    dev.destroy();

    assertThat(end(dev)).isEqualTo(143);
    assertThat(Files.readString(said, UTF_8))
        .contains(" INFO  BinaryCache  Unpacking PostgreSQL into", "stopped\n")
        .doesNotContain("\u001b", "\r", "starting");
  }
}
