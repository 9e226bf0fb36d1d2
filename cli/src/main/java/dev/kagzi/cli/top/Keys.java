package dev.kagzi.cli.top;

import dev.kagzi.cli.shell.Session;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Hears a key at once, without the line that a terminal usually waits for; puts the terminal back
 * as it was when it is closed. Where the terminal cannot be changed, a q needs a return.
 */
final class Keys implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 2;

  private final CountDownLatch quit = new CountDownLatch(1);
  private final boolean changed;

  private Keys(Session session) {
    this.changed = stty("-icanon", "-echo", "min", "1");
    Thread.ofPlatform().daemon().name("kagzi-keys").start(() -> listen(session));
  }

  static Keys of(Session session) {
    return new Keys(session);
  }

  private void listen(Session session) {
    try {
      for (var key = session.in().read(); key >= 0; key = session.in().read()) {
        if (key == 'q' || key == 'Q') {
          quit.countDown();
          return;
        }
      }
    } catch (IOException closed) {
      // Nobody can type any more; Ctrl-C still ends it.
    }
  }

  /** Waits for a q. */
  boolean awaitQuit(long millis) throws InterruptedException {
    return quit.await(millis, TimeUnit.MILLISECONDS);
  }

  /** Works on the terminal of this process, and silently nowhere else. */
  private static boolean stty(String... arguments) {
    try {
      var line = new String[arguments.length + 1];
      line[0] = "stty";
      System.arraycopy(arguments, 0, line, 1, arguments.length);
      var stty =
          new ProcessBuilder(line)
              .redirectInput(Redirect.INHERIT)
              .redirectOutput(Redirect.DISCARD)
              .redirectError(Redirect.DISCARD)
              .start();
      return stty.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) && stty.exitValue() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Override
  public void close() {
    if (changed) {
      stty("icanon", "echo");
    }
  }
}
