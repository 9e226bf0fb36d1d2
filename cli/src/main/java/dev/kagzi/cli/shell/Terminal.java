package dev.kagzi.cli.shell;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * At which streams a person sits. Immutable.
 *
 * @param in whether somebody types what we read
 * @param out whether somebody reads what we write to the standard output
 * @param err whether somebody reads what we write to the standard error
 */
public record Terminal(boolean in, boolean out, boolean err) {
  /** Nobody is there: everything comes from files and pipes and goes there. */
  public static final Terminal NONE = new Terminal(false, false, false);

  private static final Pattern TERMINAL_DEVICE = Pattern.compile("/dev/(pts/|tty|console).*");

  /** What the streams of this process are connected to. */
  public static Terminal ofThisProcess() {
    return new Terminal(isTerminal(0), isTerminal(1), isTerminal(2));
  }

  /**
   * Linux tells for each stream; elsewhere Java tells for standard input and output together, but
   * for Java 22 to 24, which always see a terminal.
   */
  @SuppressWarnings("SystemConsoleNull")
  private static boolean isTerminal(int stream) {
    try {
      var device = Files.readSymbolicLink(Path.of("/proc/self/fd/" + stream)).toString();
      return TERMINAL_DEVICE.matcher(device).matches();
    } catch (IOException | UnsupportedOperationException e) {
      return System.console() != null;
    }
  }
}
