package dev.kagzi.cli.companion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.kagzi.cli.Unfinished;
import dev.kagzi.cli.shell.Terminal;
import dev.kagzi.postgres.SharedPostgres;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code kagzi dev -- COMMAND} on a real server, with small shell programs as workers. */
class CompanionTest {
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  @TempDir Path folder;

  private Unfinished dev(List<String> flags, String script) {
    return dev(flags, List.of("sh", "-c", script));
  }

  private Unfinished dev(List<String> flags, List<String> worker) {
    var line = new ArrayList<>(List.of("dev", "--port", "0", "--http-port", "0"));
    line.addAll(List.of("--database-url", SharedPostgres.freshDatabase().replace("jdbc:", "")));
    line.addAll(flags);
    line.add("--");
    line.addAll(worker);
    var environment = Map.of("PATH", System.getenv("PATH"));
    return Unfinished.start(
        folder,
        environment,
        InputStream.nullInputStream(),
        Terminal.NONE,
        line.toArray(String[]::new));
  }

  private static long pid(String out, String name) {
    var found = Pattern.compile("worker \\| " + name + " (\\d+)").matcher(out).results().toList();
    return Long.parseLong(found.getLast().group(1));
  }

  private static boolean isAlive(long pid) {
    return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent();
  }

  @Test
  void endsTheWorkerWithEverythingItHasStarted() {
    // The shell does not hand signals on, and its child ignores the polite one.
    var script =
        "echo serves $KAGZI_ADDRESS; echo parent $$;"
            + " sh -c 'trap \"\" TERM; echo child $$; while :; do sleep 1; done' & wait";
    try (var dev = dev(List.of(), script)) {
      dev.await("worker | child ");
      dev.await("worker | parent ");
      var parent = pid(dev.out(), "parent");
      var child = pid(dev.out(), "child");
      assertThat(isAlive(parent) && isAlive(child)).isTrue();
      assertThat(dev.out())
          .containsPattern("worker \\| serves 127.0.0.1:\\d+")
          .contains("worker     sh -c echo serves", "watching nothing")
          .containsPattern("kagzi worker list --address localhost:\\d+ ")
          .containsPattern("kagzi run TYPE INPUT --address localhost:\\d+ ")
          .doesNotContain("kagzi demo");

      dev.end();

      assertThat(isAlive(parent) || isAlive(child)).isFalse();
      assertThat(dev.out()).contains("stopping…", "stopped");
    }
  }

  /** A process of its own, because it is killed. */
  @Test
  void theWorkerGoesWhenItsServerIsKilled() throws Exception {
    var script =
        "echo parent $$; sh -c 'trap \"\" TERM; echo child $$; while :; do sleep 1; done' & wait";
    var said = folder.resolve("said.txt");
    var line = new ArrayList<String>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    line.addAll(List.of("-cp", System.getProperty("java.class.path"), "dev.kagzi.cli.Main"));
    line.addAll(List.of("dev", "--port", "0", "--http-port", "0"));
    line.addAll(List.of("--database-url", SharedPostgres.freshDatabase().replace("jdbc:", "")));
    line.addAll(List.of("--", "sh", "-c", script));
    var dev =
        new ProcessBuilder(line)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(said.toFile())
            .start();
    try {
      await()
          .atMost(PATIENCE)
          .until(() -> Files.readString(said).matches("(?s).*worker \\| child \\d+\n.*"));
      var out = Files.readString(said);
      var parent = pid(out, "parent");
      var child = pid(out, "child");
      assertThat(isAlive(parent) && isAlive(child)).isTrue();

      dev.destroyForcibly().waitFor();

      await().atMost(PATIENCE).until(() -> !isAlive(parent) && !isAlive(child));
    } finally {
      dev.destroyForcibly();
    }
  }

  @Test
  void saysThatThereIsNoSuchProgram() {
    try (var dev = dev(List.of(), List.of("mvnn", "compile"))) {
      assertThat(dev.exitCode()).isEqualTo(2);
      assertThat(dev.out())
          .contains("the worker's command 'mvnn compile' cannot be started")
          .contains("there is no program 'mvnn'");
    }
  }

  @Test
  void startsTheWorkerAgainWhenItEnds() {
    try (var dev = dev(List.of(), "echo up $$; exit 7")) {
      dev.await("the worker ended with exit code 7 and starts again in 1s");
      dev.await("the worker ended with exit code 7 and starts again in 2s");

      assertThat(Pattern.compile("worker \\| up \\d+").matcher(dev.out()).results().count())
          .isGreaterThanOrEqualTo(2);
    }
  }

  @Test
  void startsTheWorkerAnewWhenASourceChanges() throws IOException {
    var source = Files.createDirectories(folder.resolve("src/main")).resolve("Hello.java");
    Files.writeString(source, "one");
    try (var dev = dev(List.of(), "echo up $$ with $(cat src/main/Hello.java); exec sleep 1000")) {
      dev.await("with one");
      var first = pid(dev.out(), "up");

      Files.writeString(source, "another");

      dev.await("with another");
      assertThat(dev.out())
          .contains("watching ./src  (--no-reload)", "./src/main/Hello.java changed");
      assertThat(isAlive(first)).isFalse();
      assertThat(isAlive(pid(dev.out(), "up"))).isTrue();
    }
  }

  @Test
  void leavesTheWorkerAloneWhenToldTo() throws IOException {
    var source = Files.createDirectories(folder.resolve("src")).resolve("Hello.java");
    try (var dev = dev(List.of("--no-reload"), "echo up $$; exec sleep 1000")) {
      dev.await("worker | up");
      Files.writeString(source, "new");

      assertThat(dev.out()).contains("watching nothing");
      await()
          .during(Duration.ofSeconds(1))
          .atMost(PATIENCE)
          .until(() -> isAlive(pid(dev.out(), "up")));
    }
  }

  @Test
  void seesFilesThatComeChangeAndGo() throws IOException {
    var watch = new SourceWatch(folder);
    assertThat(watch.changed()).isEmpty();

    var file = folder.resolve("a/b/C.java");
    Files.createDirectories(file.getParent());
    Files.writeString(file, "1");
    assertThat(watch.changed()).contains(file);
    assertThat(watch.changed()).isEmpty();

    Files.writeString(file, "12");
    assertThat(watch.changed()).contains(file);

    Files.delete(file);
    assertThat(watch.changed()).contains(file);
    assertThat(watch.changed()).isEmpty();
  }
}
