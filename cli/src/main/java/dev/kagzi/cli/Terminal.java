package dev.kagzi.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** Whether a person reads what we write to the standard error. Stateless. */
final class Terminal {
  private static final Path STANDARD_ERROR = Path.of("/proc/self/fd/2");
  private static final Pattern TERMINAL_DEVICE = Pattern.compile("/dev/(pts/|tty|console).*");

  private Terminal() {}

  /**
   * Linux tells for each stream; elsewhere Java tells for standard input and output together, but
   * for Java 22 to 24, which always see a terminal.
   */
  @SuppressWarnings("SystemConsoleNull")
  static boolean readsErrors() {
    try {
      var device = Files.readSymbolicLink(STANDARD_ERROR).toString();
      return TERMINAL_DEVICE.matcher(device).matches();
    } catch (IOException | UnsupportedOperationException e) {
      return System.console() != null;
    }
  }
}
