package dev.kagzi.cli.shell;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The script that started this program. Immutable.
 *
 * @param script where it is
 */
public record Launcher(Path script) {
  private static final String PROPERTY = "kagzi.launcher";

  /** The one of this process; none if somebody started Java by hand. */
  public static Optional<Launcher> ofThisProcess() {
    return Optional.ofNullable(System.getProperty(PROPERTY)).map(Path::of).map(Launcher::new);
  }

  /**
   * What a person types to start it from a session's folder: its name alone if the shell finds it
   * by that, or its path as the shell takes it.
   */
  public String typed(Session session) {
    var name = "kagzi";
    var found =
        session.variable("PATH").stream()
            .flatMap(path -> Stream.of(path.split(File.pathSeparator, -1)))
            .filter(folder -> !folder.isEmpty())
            .map(folder -> session.folder().resolve(folder).resolve(name))
            .filter(Files::isExecutable)
            .findFirst();
    if (found.isPresent() && isOurs(found.get())) {
      return name;
    }
    var shown = session.shown(script);
    return shown.contains(" ") ? "'" + shown + "'" : shown;
  }

  private boolean isOurs(Path file) {
    try {
      return Files.isSameFile(file, script);
    } catch (IOException gone) {
      return false;
    }
  }

  /** The checkout that it stands in; none in a distribution. */
  public Optional<Path> checkout() {
    return Optional.ofNullable(script.getParent())
        .filter(folder -> Files.exists(folder.resolve("pom.xml")));
  }
}
