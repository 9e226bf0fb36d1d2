package dev.kagzi.bench.system;

import dev.kagzi.bench.report.Progress;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where the programs of the peers are: in a checkout, which builds them when they are missing or
 * older than their sources, or beside a distribution, if somebody has put them there.
 */
public final class PeersHome {
  private static final String RESTATE_PACKAGE = "@restatedev/restate-server";

  private final @Nullable Path launcher;
  private final Progress progress;

  private PeersHome(@Nullable Path launcher, Progress progress) {
    this.launcher = launcher;
    this.progress = progress;
  }

  /**
   * Looks around the launcher.
   *
   * @param launcher what this program was started with; nothing if nobody knows
   */
  public static PeersHome of(@Nullable String launcher, Progress progress) {
    return new PeersHome(launcher == null ? null : Path.of(launcher), progress);
  }

  /**
   * The folder with their jars.
   *
   * @throws BenchFailedException if there is none and none can be made
   */
  public Path library() throws InterruptedException {
    var folder = launcher == null ? null : launcher.toAbsolutePath().getParent();
    if (folder != null && Files.exists(folder.resolve("peers").resolve("pom.xml"))) {
      return built(folder);
    }
    var library = folder == null ? null : folder.resolveSibling("peers").resolve("lib");
    if (library == null || !Files.isDirectory(library)) {
      throw new BenchFailedException(
          "the programs of the peers are not part of a distribution; run './kagzi bench --peers' in"
              + " a checkout, or copy its folder peers/target/dist/lib to "
              + (library == null ? "peers/lib beside lib" : library));
    }
    return library;
  }

  private Path built(Path checkout) throws InterruptedException {
    var library = checkout.resolve(Path.of("peers", "target", "dist", "lib"));
    if (isUpToDate(checkout, library)) {
      return library;
    }
    progress.note("builds the programs of the peers (first time: a minute or two)");
    forget(library);
    var log = checkout.resolve(Path.of(".kagzi", "peers.log"));
    var command =
        List.of(
            "mvn",
            "--batch-mode",
            "--no-transfer-progress",
            "-DskipTests",
            "-pl",
            "peers",
            "-am",
            "package");
    if (!run(command, checkout, log)) {
      throw new BenchFailedException(
          "the programs of the peers could not be built; the output of '%s' is in %s"
              .formatted(String.join(" ", command), log));
    }
    return library;
  }

  /** Jars of a version that the poms no longer name must not stay on the class path. */
  private static void forget(Path library) {
    for (var jar : listed(library, "")) {
      try {
        Files.deleteIfExists(jar);
      } catch (IOException e) {
        throw new BenchFailedException("%s could not be deleted: %s".formatted(jar, e), e);
      }
    }
  }

  private static boolean isUpToDate(Path checkout, Path library) {
    try {
      var built =
          newest(Stream.of(library)).filter(unused -> !listed(library, "kagzi-peers-").isEmpty());
      var sources =
          newest(
              Stream.of("peers/src/main", "peers/pom.xml", "bench/src/main/java", "pom.xml")
                  .map(checkout::resolve));
      return built.isPresent() && sources.isPresent() && built.get().compareTo(sources.get()) >= 0;
    } catch (IOException e) {
      return false;
    }
  }

  private static List<Path> listed(Path folder, String prefix) {
    try (var files = Files.list(folder)) {
      return files.filter(file -> file.getFileName().toString().startsWith(prefix)).toList();
    } catch (IOException e) {
      return List.of();
    }
  }

  private static Optional<FileTime> newest(Stream<Path> roots) throws IOException {
    var newest = Optional.<FileTime>empty();
    for (var root : roots.filter(Files::exists).toList()) {
      try (var files = Files.walk(root)) {
        for (var file : files.filter(Files::isRegularFile).toList()) {
          var time = Files.getLastModifiedTime(file);
          newest = Stream.concat(newest.stream(), Stream.of(time)).max(Comparator.naturalOrder());
        }
      }
    }
    return newest;
  }

  /**
   * The server of Restate, which npm brings; nothing, and a message, where it cannot.
   *
   * @param folder where it is kept for next time
   */
  public @Nullable Path restateServer(Path folder) throws InterruptedException {
    var home = folder.resolve("restate");
    var program = program(home);
    if (program.isPresent()) {
      return program.get();
    }
    if (!isOnPath("npm")) {
      progress.note("restate is left out: its server comes by npm, which is not on the PATH");
      return null;
    }
    progress.note("installs the server of Restate by npm (first time only)");
    var log = folder.resolve("restate.log");
    // Its install scripts would only tell somebody that it was installed.
    var command =
        List.of(
            "npm",
            "install",
            "--no-audit",
            "--no-fund",
            "--ignore-scripts",
            "--prefix",
            home.toString(),
            RESTATE_PACKAGE);
    boolean installed = makeFolder(home) && run(command, home, log);
    var found = installed ? program(home) : Optional.<Path>empty();
    if (found.isEmpty()) {
      progress.note(
          "restate is left out: '%s' did not bring its server; see %s"
              .formatted(String.join(" ", command), log));
    }
    return found.orElse(null);
  }

  /** The program itself, because a script in front of it would hide what it uses. */
  private static Optional<Path> program(Path home) {
    return listed(home.resolve(Path.of("node_modules", "@restatedev")), "restate-server-").stream()
        .map(folder -> folder.resolve(Path.of("bin", "restate-server")))
        .filter(Files::isExecutable)
        .findFirst();
  }

  private static boolean makeFolder(Path folder) {
    try {
      Files.createDirectories(folder);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean isOnPath(String program) {
    var path = System.getenv().getOrDefault("PATH", "");
    return Stream.of(path.split(File.pathSeparator, -1))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder).resolve(program)));
  }

  private static boolean run(List<String> command, Path folder, Path log)
      throws InterruptedException {
    try {
      Files.createDirectories(log.toAbsolutePath().getParent());
      var process =
          new ProcessBuilder(command)
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
              .start();
      try {
        return process.waitFor() == 0;
      } finally {
        process.destroy();
      }
    } catch (IOException e) {
      return false;
    }
  }
}
