package dev.kagzi.cli;

import dev.kagzi.cli.shell.Session;

/** Where the program begins and ends. */
public final class Main {

  private Main() {}

  /**
   * Runs one command. A signal makes it let go of what it holds first; the JVM then ends with 128
   * and the signal's number.
   */
  public static void main(String[] arguments) {
    if (asksForVersionOnly(arguments)) {
      System.out.println(Version.line());
      return;
    }
    var session = Session.ofThisProcess();
    Runtime.getRuntime().addShutdownHook(new Thread(session.lifetime()::end, "kagzi-shutdown"));
    var code = KagziCommand.run(session, arguments);
    session.lifetime().release();
    System.exit(code);
  }

  /** Scripts ask often, and the whole tree of commands takes longer to load than the answer. */
  private static boolean asksForVersionOnly(String[] arguments) {
    return arguments.length == 1
        && (arguments[0].equals("version") || arguments[0].equals("--version"));
  }
}
