package dev.kagzi.cli.shell;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

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

  /** The checkout that it stands in; none in a distribution. */
  public Optional<Path> checkout() {
    return Optional.ofNullable(script.getParent())
        .filter(folder -> Files.exists(folder.resolve("pom.xml")));
  }
}
