package dev.kagzi.cli;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * What one call of the command works with. Immutable.
 *
 * @param folder the working folder
 * @param lifetime takes what the command must not leave behind
 */
record Session(
    Map<String, String> environment,
    Path folder,
    PrintStream out,
    PrintStream err,
    Lifetime lifetime) {
  private static final String DEBUG_VARIABLE = "KAGZI_DEBUG";

  Session {
    environment = Map.copyOf(environment);
  }

  /** The call that this process was started for. */
  static Session ofThisProcess() {
    return new Session(
        System.getenv(), Path.of("").toAbsolutePath(), System.out, System.err, new Lifetime());
  }

  /** Whether stack traces are wanted. */
  boolean isDebug() {
    return environment.getOrDefault(DEBUG_VARIABLE, "").equals("1");
  }

  /** The environment without the variable that is the command's own and no server's. */
  Map<String, String> serverEnvironment() {
    var variables = new HashMap<>(environment);
    variables.remove(DEBUG_VARIABLE);
    return variables;
  }

  /** A path as short as the person at the keyboard can use it. */
  String shown(Path path) {
    var absolute = folder.resolve(path).normalize();
    return absolute.startsWith(folder) ? "./" + folder.relativize(absolute) : absolute.toString();
  }
}
