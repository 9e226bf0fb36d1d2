package dev.kagzi.postgres;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Set;

/**
 * Copies the cluster of a running server, file by file while it is written to: the log that streams
 * in afterwards makes the copy whole. (The archives of binaries hold no pg_basebackup.)
 */
record BaseBackup(Path from, Path to, Launcher launcher) {
  /** What a copy must begin without; the folders themselves have to be there. */
  private static final Set<String> EMPTY_FOLDERS =
      Set.of(
          "pg_wal",
          "pg_replslot",
          "pg_dynshmem",
          "pg_notify",
          "pg_serial",
          "pg_snapshots",
          "pg_stat_tmp",
          "pg_subtrans");

  private static final Set<String> LEFT_OUT = Set.of("postmaster.pid", "postmaster.opts");
  private static final int NEW_FUNCTION_NAMES = 15;

  /** Copies, and reserves on the server the log that the copy needs to catch up. */
  void take(String url, String slot) throws SQLException, IOException {
    try (var connection = DriverManager.getConnection(url)) {
      text(connection, "SELECT pg_create_physical_replication_slot('%s', true)".formatted(slot));
      var newNames = connection.getMetaData().getDatabaseMajorVersion() >= NEW_FUNCTION_NAMES;
      text(
          connection,
          newNames
              ? "SELECT pg_backup_start('standby', true)"
              : "SELECT pg_start_backup('standby', true, false)");
      Files.walkFileTree(from, new Copy());
      var label =
          text(
              connection,
              newNames
                  ? "SELECT labelfile FROM pg_backup_stop(true)"
                  : "SELECT labelfile FROM pg_stop_backup(false, true)");
      write("backup_label", label);
      write("standby.signal", "");
    }
  }

  private void write(String name, String content) throws IOException {
    launcher.giveAway(Files.writeString(to.resolve(name), content));
  }

  private static String text(Connection connection, String sql) throws SQLException {
    try (var statement = connection.createStatement();
        var rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    }
  }

  private final class Copy extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes)
        throws IOException {
      copy(folder);
      return EMPTY_FOLDERS.contains(from.relativize(folder).toString())
          ? FileVisitResult.SKIP_SUBTREE
          : FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      if (!LEFT_OUT.contains(from.relativize(file).toString())) {
        copy(file);
      }
      return FileVisitResult.CONTINUE;
    }

    /** A table may be dropped while its neighbours are copied. */
    @Override
    public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
      if (failure instanceof NoSuchFileException) {
        return FileVisitResult.CONTINUE;
      }
      throw failure;
    }

    private void copy(Path path) throws IOException {
      var target = to.resolve(from.relativize(path));
      try {
        launcher.giveAway(Files.copy(path, target, StandardCopyOption.COPY_ATTRIBUTES));
      } catch (NoSuchFileException dropped) {
        Files.deleteIfExists(target);
      }
    }
  }
}
