package dev.kagzi.bench.system;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Command lines of the programs that are measured. Immutable.
 *
 * @param kagzi makes a command line of a command of Kagzi and its arguments
 * @param java what runs a class of another class path, without the class path
 */
public record Programs(UnaryOperator<List<String>> kagzi, List<String> java) {

  /** The command of Kagzi that runs a driver. */
  public static final String DRIVER_COMMAND = "bench-driver";

  /** The command of Kagzi that runs a worker. */
  public static final String WORKER_COMMAND = "bench-worker";

  List<String> kagzi(String... arguments) {
    return kagzi.apply(List.of(arguments));
  }

  /** A class with a main method, among the jars of a folder. */
  List<String> peer(Path library, String mainClass, String... arguments) {
    var line = new ArrayList<>(java);
    line.addAll(List.of("-cp", library.resolve("*").toString(), mainClass));
    line.addAll(List.of(arguments));
    return line;
  }
}
