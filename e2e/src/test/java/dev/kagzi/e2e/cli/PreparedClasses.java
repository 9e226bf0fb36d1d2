package dev.kagzi.e2e.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.postgres.SharedPostgres;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/**
 * The classes of our own class path, and a file from which Java takes those that servers and
 * workers load, read and checked already. Each of the many processes of the tests would spend more
 * time on that than on all else it does. Made by the first who asks, in a {@link Rehearsal}.
 */
final class PreparedClasses {
  private static final String PATH = System.getProperty("java.class.path");

  private final Path folder;
  private final String classPath;
  private final Path archive;

  private PreparedClasses() throws IOException {
    folder = Files.createTempDirectory("kagzi-classes-");
    folder.toFile().deleteOnExit();
    classPath = packed();
    archive = temporary("classes.jsa");
  }

  static List<String> options() {
    return Holder.CLASSES.use();
  }

  /** The JVM's own lazy and thread-safe initialisation. */
  private static final class Holder {
    static final PreparedClasses CLASSES = prepare();

    private static PreparedClasses prepare() {
      try {
        var classes = new PreparedClasses();
        classes.rehearse();
        return classes;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(e);
      }
    }
  }

  /** The class path with jars only: classes in folders cannot be prepared. */
  private String packed() throws IOException {
    List<String> entries = new ArrayList<>();
    for (String entry : PATH.split(File.pathSeparator, -1)) {
      Path place = Path.of(entry);
      entries.add(Files.isDirectory(place) ? pack(place, entries.size()).toString() : entry);
    }
    return String.join(File.pathSeparator, entries);
  }

  private Path pack(Path classes, int number) throws IOException {
    Path jar = temporary(number + ".jar");
    try (var out = new JarOutputStream(Files.newOutputStream(jar));
        Stream<Path> files = Files.walk(classes)) {
      out.setLevel(0);
      for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
        String name = classes.relativize(file).toString().replace(File.separatorChar, '/');
        out.putNextEntry(new JarEntry(name));
        Files.copy(file, out);
      }
    }
    return jar;
  }

  private Path temporary(String name) {
    Path file = folder.resolve(name);
    file.toFile().deleteOnExit();
    return file;
  }

  private void rehearse() throws IOException, InterruptedException {
    Path said = temporary("rehearsal.txt");
    List<String> line = Command.plainJava(folder);
    line.addAll(List.of("-XX:ArchiveClassesAtExit=" + archive, "-Xlog:cds*=off", "-Xlog:aot*=off"));
    line.addAll(List.of("-cp", classPath, Rehearsal.class.getName()));
    Process rehearsal =
        Command.withoutSettings(line, Rehearsal.settings(SharedPostgres.freshDatabase()))
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(said.toFile())
            .start();
    assertThat(rehearsal.waitFor()).as(() -> read(said)).isZero();
    assertThat(archive).as(() -> read(said)).isNotEmptyFile();
  }

  private static String read(Path said) {
    try {
      return Files.readString(said, UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<String> use() {
    return List.of(
        "-XX:SharedArchiveFile=" + archive, "-Xlog:cds*=off", "-Xlog:aot*=off", "-cp", classPath);
  }
}
