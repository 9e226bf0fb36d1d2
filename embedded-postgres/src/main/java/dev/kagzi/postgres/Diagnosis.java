package dev.kagzi.postgres;

import dev.kagzi.postgres.PostgresStartException.Reason;
import java.io.IOException;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** Turns what the operating system and PostgreSQL say into a reason and a sentence. */
final class Diagnosis {
  private static final Pattern DISK_FULL =
      Pattern.compile("No space left on device|Disk quota exceeded|not enough space on the disk");
  private static final Pattern PORT_IN_USE =
      Pattern.compile("Address already in use|Only one usage of each socket address");
  private static final Pattern DATA_IN_USE =
      Pattern.compile(
          "pre-existing shared memory block|lock file \"postmaster.pid\" already exists");
  private static final Pattern WRONG_VERSION =
      Pattern.compile("database files are incompatible with server");
  private static final Pattern NOT_WRITABLE =
      Pattern.compile("Permission denied|Read-only file system|has wrong ownership");

  private Diagnosis() {}

  /** A folder that could not be written; {@code purpose} says what it is for and whose choice. */
  static PostgresStartException ofFolder(Path folder, String purpose, IOException failure) {
    if (DISK_FULL.matcher(String.valueOf(failure.getMessage())).find()) {
      return new PostgresStartException(
          Reason.DISK_FULL,
          "The disk of " + folder + " (" + purpose + ") is full. Free some space and start again.",
          failure);
    }
    return new PostgresStartException(
        Reason.NOT_WRITABLE,
        "Cannot write to %s (%s): %s. Make it writable, or choose another folder."
            .formatted(folder, purpose, inWords(failure)),
        failure);
  }

  /** A server, or initdb, that ended instead of becoming ready. */
  static PostgresStartException ofOutput(String program, Path folder, int port, String output) {
    var reason = reasonIn(output);
    return new PostgresStartException(reason, sentence(reason, program, folder, port, output));
  }

  static Reason reasonIn(String output) {
    if (DISK_FULL.matcher(output).find()) {
      return Reason.DISK_FULL;
    }
    if (PORT_IN_USE.matcher(output).find()) {
      return Reason.PORT_IN_USE;
    }
    if (DATA_IN_USE.matcher(output).find()) {
      return Reason.DATA_IN_USE;
    }
    if (WRONG_VERSION.matcher(output).find()) {
      return Reason.WRONG_VERSION;
    }
    return NOT_WRITABLE.matcher(output).find() ? Reason.NOT_WRITABLE : Reason.START_FAILED;
  }

  private static String sentence(
      Reason reason, String program, Path folder, int port, String output) {
    return switch (reason) {
      case DISK_FULL ->
          "The disk of %s (the data directory) is full. Free some space and start again."
              .formatted(folder);
      case PORT_IN_USE ->
          ("Port %d on 127.0.0.1 is taken by another program. Stop that program, or choose another"
                  + " port; 0 takes a free one.")
              .formatted(port);
      case DATA_IN_USE ->
          ("Another PostgreSQL still runs on %s (the data directory). Stop it, or choose another"
                  + " directory.")
              .formatted(folder);
      case WRONG_VERSION ->
          "The data in %s is of another PostgreSQL version:%n%s".formatted(folder, output);
      case NOT_WRITABLE ->
          ("%s may not use %s (the data directory). It must belong to the user who starts it, and"
                  + " every folder above it must be open to that user:%n%s")
              .formatted(program, folder, output);
      case START_FAILED -> "%s failed in %s:%n%s".formatted(program, folder, output);
    };
  }

  /** File system exceptions often carry nothing but the path; their type says the rest. */
  private static String inWords(IOException failure) {
    return failure.getClass().getSimpleName() + ": " + failure.getMessage();
  }
}
