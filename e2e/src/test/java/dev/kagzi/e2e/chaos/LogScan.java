package dev.kagzi.e2e.chaos;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads what all processes have logged, and finds what none of them may ever log. */
final class LogScan {

  private static final List<Pattern> FORBIDDEN =
      List.of(
          Pattern.compile(Pattern.quote(Job.CANARY)),
          Pattern.compile("OutOfMemory"),
          Pattern.compile("StackOverflow"),
          Pattern.compile("SOFT-ASSERT"),
          Pattern.compile("deadlock detected"),
          Pattern.compile("LEAK:"),
          Pattern.compile("Exception in thread"),
          Pattern.compile("\\bPANIC\\b"));

  /** As Kagzi's own lines begin; the word alone may be PostgreSQL's, quoted in a warning. */
  private static final Pattern ERROR = Pattern.compile("^\\d\\d:\\d\\d:\\d\\d\\.\\d{3} ERROR ");

  /** Errors that are as they should be, each with the reason why. */
  private static final List<Pattern> ALLOWED =
      List.of(
          // Flyway's words for a connection that is killed while a server starts; it tries again.
          Pattern.compile("ERROR TransactionalExecutionTemplate  Unable to (rollback|restore) "));

  private LogScan() {}

  /** The lines of all logs below a folder that must not be there, with the files' names. */
  static List<String> findings(Path folder) throws IOException {
    var found = new ArrayList<String>();
    List<Path> logs;
    try (var files = Files.walk(folder)) {
      logs = files.filter(file -> file.toString().endsWith(".log")).sorted().toList();
    }
    for (Path log : logs) {
      try (var reader =
          new BufferedReader(new InputStreamReader(Files.newInputStream(log), UTF_8))) {
        reader
            .lines()
            .filter(line -> fault(line).isPresent())
            .forEach(line -> found.add(log.getFileName() + ": " + line));
      }
    }
    return found;
  }

  /** What is wrong with a line, if anything. */
  static Optional<String> fault(String line) {
    var found = FORBIDDEN.stream().filter(pattern -> pattern.matcher(line).find()).findFirst();
    if (found.isEmpty() && ERROR.matcher(line).find()) {
      found =
          ALLOWED.stream().anyMatch(allowed -> allowed.matcher(line).find())
              ? found
              : Optional.of(ERROR);
    }
    return found.map(Pattern::pattern);
  }

  /** How many lines of the logs whose names begin so contain a text. */
  static long count(Path folder, String prefix, String text) throws IOException {
    long count = 0;
    try (var files = Files.newDirectoryStream(folder, prefix + "*.log")) {
      for (Path log : files) {
        try (var lines = Files.lines(log, UTF_8)) {
          count += lines.filter(line -> line.contains(text)).count();
        }
      }
    }
    return count;
  }
}
