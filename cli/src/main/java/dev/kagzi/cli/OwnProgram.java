package dev.kagzi.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** This program as a command line: the same Java and the same classes, in another process. */
final class OwnProgram {
  /** From here on Java warns about what Netty does unless it is told not to. */
  private static final int WARNS_ABOUT_UNSAFE = 24;

  private OwnProgram() {}

  /** A command line that runs one of our commands, fit for a process that starts fast. */
  static List<String> command(String name) {
    var line = program();
    line.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    line.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName(), name));
    return line;
  }

  /** A command line as the launcher makes it for a command that goes on for long. */
  static List<String> longRunning(List<String> arguments) {
    var line = program();
    line.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    line.addAll(arguments);
    return line;
  }

  /** The same Java with the same options, for the classes of others. */
  static List<String> java() {
    return program();
  }

  private static List<String> program() {
    var line = new ArrayList<String>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(List.of("-Xshare:auto", "--enable-native-access=ALL-UNNAMED"));
    quietOption().ifPresent(line::add);
    return line;
  }

  /** What keeps this Java from warning of what libraries do; none where it does not warn. */
  static Optional<String> quietOption() {
    return Runtime.version().feature() >= WARNS_ABOUT_UNSAFE
        ? Optional.of("--sun-misc-unsafe-memory-access=allow")
        : Optional.empty();
  }
}
