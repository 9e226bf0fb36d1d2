package dev.kagzi.e2e.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.cli.Main;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** A command that runs as a process, started as the launcher would; ended by {@link #close}. */
public final class Command implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(40);
  private static final long LOOK_MILLIS = 10;
  private static final int SIGNALLED = 128;
  static final int SIGINT = SIGNALLED + 2;
  static final int SIGKILL = SIGNALLED + 9;
  static final int SIGTERM = SIGNALLED + 15;

  private final Process process;
  private final long began = System.nanoTime();
  private final List<String> out = new CopyOnWriteArrayList<>();
  private final List<String> err = new CopyOnWriteArrayList<>();
  private final List<Thread> readers;

  private Command(Process process) {
    this.process = process;
    this.readers =
        List.of(collect(process.getInputStream(), out), collect(process.getErrorStream(), err));
  }

  /** Our own {@code kagzi}, with nothing set that the person who runs the tests has set. */
  public static Command kagzi(Path folder, Map<String, String> environment, String... arguments)
      throws IOException {
    var line = java(folder, Main.class.getName());
    line.addAll(List.of(arguments));
    return start(folder, environment, line);
  }

  static Command kagzi(Path folder, String... arguments) throws IOException {
    return kagzi(folder, Map.of(), arguments);
  }

  /** Any program with a main method on our class path, with its temporary files in a folder. */
  public static List<String> java(Path temporary, String mainClass) {
    var line = plainJava(temporary);
    line.addAll(PreparedClasses.options());
    line.add(mainClass);
    return line;
  }

  /** Java as all our processes run it, without a class path. */
  static List<String> plainJava(Path temporary) {
    var line = new ArrayList<String>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(List.of("-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    line.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-Dstdout.encoding=UTF-8"));
    line.add("--sun-misc-unsafe-memory-access=allow");
    line.add("-Djava.io.tmpdir=" + temporary);
    return line;
  }

  public static Command start(Path folder, Map<String, String> environment, List<String> line)
      throws IOException {
    return new Command(
        withoutSettings(heedingCtrlC(line), environment).directory(folder.toFile()).start());
  }

  /** With no settings but those given. */
  static ProcessBuilder withoutSettings(List<String> line, Map<String, String> environment) {
    var builder = new ProcessBuilder(line);
    builder.environment().keySet().removeIf(name -> name.startsWith("KAGZI_") && !isCache(name));
    builder.environment().putAll(environment);
    return builder;
  }

  /** A shell's background jobs ignore SIGINT, and whatever they start inherits that. */
  private static List<String> heedingCtrlC(List<String> line) {
    if (!Files.isReadable(Path.of("/proc/self/status"))) {
      return line;
    }
    var reset = new ArrayList<>(List.of("env", "--default-signal=INT"));
    reset.addAll(line);
    return reset;
  }

  /** Where PostgreSQL is unpacked already, on machines that want it elsewhere. */
  private static boolean isCache(String variable) {
    return variable.equals("KAGZI_CACHE_DIR");
  }

  private static Thread collect(InputStream stream, List<String> lines) {
    var reader = new BufferedReader(new InputStreamReader(stream, UTF_8));
    return Thread.ofVirtual().start(() -> reader.lines().forEach(lines::add));
  }

  public long pid() {
    return process.pid();
  }

  ProcessHandle handle() {
    return process.toHandle();
  }

  /** Waits for a line on the standard output in which the pattern is found. */
  public MatchResult awaitLine(String pattern) throws InterruptedException {
    return awaitLine(pattern, out);
  }

  /** Waits for a line on the standard error in which the pattern is found. */
  MatchResult awaitErrorLine(String pattern) throws InterruptedException {
    return awaitLine(pattern, err);
  }

  private MatchResult awaitLine(String pattern, List<String> lines) throws InterruptedException {
    var compiled = Pattern.compile(pattern);
    for (var deadline = System.nanoTime() + PATIENCE.toNanos(); ; Thread.sleep(LOOK_MILLIS)) {
      for (var line : lines) {
        var matcher = compiled.matcher(line);
        if (matcher.find()) {
          return matcher.toMatchResult();
        }
      }
      assertThat(process.isAlive() && System.nanoTime() < deadline)
          .as("waiting for '%s' in%n%s%n%s", pattern, out(), err())
          .isTrue();
    }
  }

  double seconds() {
    return (double) (System.nanoTime() - began) / TimeUnit.SECONDS.toNanos(1);
  }

  /** Ends it as Ctrl-C does. */
  int interrupt() throws IOException, InterruptedException {
    return signal("INT");
  }

  /** Ends it as a service manager does. */
  public int terminate() throws IOException, InterruptedException {
    return signal("TERM");
  }

  /** By the shell: {@link Process#destroy} would also stop listening to what it says then. */
  private int signal(String name) throws IOException, InterruptedException {
    var kill = new ProcessBuilder("sh", "-c", "kill -%s %d".formatted(name, pid())).start();
    assertThat(kill.waitFor()).isZero();
    return exitCode();
  }

  /** Ends it without a chance to clean up. */
  public int kill() throws InterruptedException {
    process.destroyForcibly();
    return exitCode();
  }

  /** Waits for the end. */
  int exitCode() throws InterruptedException {
    return exitCodeWithin(PATIENCE.toSeconds());
  }

  /** Waits for the end of something that takes its time. */
  int exitCodeWithin(long seconds) throws InterruptedException {
    assertThat(process.waitFor(seconds, TimeUnit.SECONDS))
        .as("still runs:%n%s%n%s", out(), err())
        .isTrue();
    for (var reader : readers) {
      reader.join();
    }
    return process.exitValue();
  }

  String out() {
    return String.join("\n", out);
  }

  public String err() {
    return String.join("\n", err);
  }

  @Override
  public void close() {
    process.destroyForcibly();
    process.onExit().join();
  }
}
