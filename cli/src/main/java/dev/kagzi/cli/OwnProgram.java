package dev.kagzi.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/** This program as a command line: the same Java and the same classes, in another process. */
final class OwnProgram {
  /** From here on Java warns about what Netty does unless it is told not to. */
  private static final int WARNS_ABOUT_UNSAFE = 24;

  /** Variables in which Java itself looks for options. */
  private static final List<String> OPTIONS_OF_JAVA =
      List.of("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS");

  private static final Pattern COLLECTOR = Pattern.compile("-XX:\\+Use\\w+GC");

  private static final Pattern HEAP = Pattern.compile("-Xm[nsx]|HeapSize|NewSize|RAMPercentage");

  private OwnProgram() {}

  /** A command line that runs one of our commands, fit for a process that starts fast. */
  static List<String> command(String name) {
    var line = program();
    line.add("-XX:TieredStopAtLevel=1");
    collectingBy("SerialGC").ifPresent(line::add);
    line.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName(), name));
    return line;
  }

  /** A command line as the launcher makes it for a command that goes on for long. */
  static List<String> longRunning(List<String> arguments) {
    var line = java();
    line.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    line.addAll(arguments);
    return line;
  }

  /** The same Java with the options of a command that goes on for long, for any classes. */
  static List<String> java() {
    var line = program();
    collectingBy("ParallelGC").ifPresent(line::add);
    unlessSaid(HEAP, "-XX:InitialHeapSize=96m").ifPresent(line::add);
    return line;
  }

  /** Java refuses to start with two collectors, so the user's choice counts. */
  private static Optional<String> collectingBy(String collector) {
    return unlessSaid(COLLECTOR, "-XX:+Use" + collector);
  }

  /** An option, if the user has not said anything about the same. */
  private static Optional<String> unlessSaid(Pattern same, String option) {
    var said =
        OPTIONS_OF_JAVA.stream()
            .map(System.getenv()::get)
            .filter(Objects::nonNull)
            .anyMatch(options -> same.matcher(options).find());
    return said ? Optional.empty() : Optional.of(option);
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
