package dev.kagzi.postgres;

import dev.kagzi.postgres.PostgresStartException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folder given by the caller: {@code data} (PostgreSQL's own), {@code postgres.log} and {@code
 * lock}. A cluster is initialised beside {@code data} and renamed, so {@code data} is always
 * complete. All of this is for the holder of the {@link FolderLock}.
 */
record ClusterFolder(Path root) {
  private static final Logger log = LoggerFactory.getLogger(ClusterFolder.class);
  private static final String UNFINISHED = "data.tmp-";
  private static final int PREDECESSOR_SECONDS = 15;

  ClusterFolder {
    root = root.toAbsolutePath().normalize();
  }

  Path cluster() {
    return root.resolve("data");
  }

  Path logFile() {
    return root.resolve("postgres.log");
  }

  FolderLock lock() {
    try {
      return FolderLock.acquire(Files.createDirectories(root));
    } catch (IOException e) {
      throw notWritable(e);
    }
  }

  /** Makes the cluster ready to be started: its predecessor gone, initialised, right version. */
  void prepare(Installation installation, Launcher launcher) {
    try {
      deleteUnfinished();
      if (isEmptyOrMissing(cluster())) {
        initialise(installation, launcher);
      }
      requireVersion(installation);
      endPredecessor();
    } catch (IOException e) {
      throw notWritable(e);
    }
  }

  private PostgresStartException notWritable(IOException failure) {
    return Diagnosis.ofFolder(root, "the data directory", failure);
  }

  /** As far as possible: a dying initdb may still be writing, and what stays does no harm. */
  private void deleteUnfinished() throws IOException {
    try (var leftovers = Files.newDirectoryStream(root, UNFINISHED + "*")) {
      for (var leftover : leftovers) {
        deleteIfPossible(leftover);
      }
    }
  }

  private static void deleteIfPossible(Path leftover) {
    try {
      FolderTree.delete(leftover);
    } catch (IOException e) {
      log.debug("{} is left for the next start", leftover, e);
    }
  }

  private static boolean isEmptyOrMissing(Path folder) throws IOException {
    if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
      return true;
    }
    try (var content = Files.newDirectoryStream(folder)) {
      return !content.iterator().hasNext();
    }
  }

  private void initialise(Installation installation, Launcher launcher) throws IOException {
    // A new name each time: a dying initdb empties its folder, which must never be ours.
    var unfinished = Files.createTempDirectory(root, UNFINISHED);
    try {
      launcher.giveAway(unfinished);
      if (launcher.becomesNobody()) {
        FolderTree.letOthersPass(root);
      }
      runInitdb(installation, launcher, unfinished);
      Files.deleteIfExists(cluster());
      Files.move(unfinished, cluster(), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException | RuntimeException e) {
      FolderTree.delete(unfinished);
      throw e;
    }
  }

  private void runInitdb(Installation installation, Launcher launcher, Path folder) {
    var result =
        ShortProcess.run(
            launcher,
            installation.program("initdb"),
            "-D",
            folder.toString(),
            "-U",
            EmbeddedPostgres.USER,
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--no-locale",
            "--no-sync",
            "--no-instructions");
    if (result.exitCode() != 0) {
      throw Diagnosis.ofOutput("initdb", root, 0, result.output().strip());
    }
  }

  private void requireVersion(Installation installation) throws IOException {
    var versionFile = cluster().resolve("PG_VERSION");
    if (!Files.exists(versionFile)) {
      throw new PostgresStartException(
          Reason.START_FAILED,
          ("%s holds files, but they are not PostgreSQL's: PG_VERSION is missing. Choose another"
                  + " directory, or move that folder away to begin with an empty database.")
              .formatted(cluster()));
    }
    var version = Files.readString(versionFile).strip();
    if (!version.equals(installation.majorVersion())) {
      throw wrongVersion(version, installation.version());
    }
  }

  private PostgresStartException wrongVersion(String found, String installed) {
    return new PostgresStartException(
        Reason.WRONG_VERSION,
        ("The data in %s was written by PostgreSQL %s, and this is PostgreSQL %s, which cannot read"
                + " it. Use binaries of version %s, or move that folder away to begin with an empty"
                + " database.")
            .formatted(cluster(), found, installed, found));
  }

  /**
   * A JVM that was killed leaves a PostgreSQL that is shutting down, or, without {@link Launcher}'s
   * help, one that would run for ever: nobody but us may use this folder, so end it. It may also
   * leave a pid file whose number now belongs to another program, at which PostgreSQL would give
   * up.
   */
  private void endPredecessor() throws IOException {
    var pidFile = cluster().resolve("postmaster.pid");
    var recorded = recordedProcess(pidFile);
    if (recorded.isEmpty()) {
      return;
    }
    var process = recorded.get();
    if (!isOurServer(process)) {
      Files.deleteIfExists(pidFile);
      return;
    }
    process.signal("INT");
    if (!OtherProcess.awaitEnd(List.of(process), PREDECESSOR_SECONDS)) {
      throw FolderLock.inUse(root, "a PostgreSQL left behind, process " + process.handle().pid());
    }
  }

  private static Optional<OtherProcess> recordedProcess(Path pidFile) throws IOException {
    var lines = Files.exists(pidFile) ? Files.readAllLines(pidFile) : List.<String>of();
    return lines.stream()
        .findFirst()
        .map(String::strip)
        .filter(pid -> pid.matches("[1-9][0-9]{0,17}"))
        .flatMap(pid -> ProcessHandle.of(Long.parseLong(pid)))
        .map(OtherProcess::new);
  }

  /** A server works inside its data folder; where the system does not tell, its name must do. */
  private boolean isOurServer(OtherProcess process) throws IOException {
    var ourFolder = cluster().toRealPath();
    var handle = process.handle();
    try {
      var cwd = Path.of("/proc", Long.toString(handle.pid()), "cwd");
      return Files.readSymbolicLink(cwd).equals(ourFolder);
    } catch (IOException e) {
      return handle.info().command().filter(program -> program.contains("postgres")).isPresent();
    }
  }
}
