package dev.kagzi.postgres;

import dev.kagzi.postgres.PostgresStartException.Reason;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How programs of PostgreSQL are started here: what goes in front of their command lines.
 *
 * <p>PostgreSQL must die with this JVM, even on kill -9, must not hear the Ctrl-C that is meant for
 * this JVM, which still needs it, and refuses to run as root. On Linux {@code setpriv} asks the
 * kernel for a SIGINT when the parent dies, and {@code setsid} takes it out of our terminal's
 * reach; as root, {@code unshare -U} hides that we are root but keeps our files, and where
 * containers forbid it we become nobody instead. These programs replace themselves by what they
 * start, so process id and signals stay the same; {@code su} and {@code runuser} do not. Elsewhere
 * nothing goes in front, and a JVM that is killed leaves PostgreSQL running until the next start on
 * the same folder ends it.
 *
 * <p>The kernel watches the parent's <em>thread</em>: whoever starts a process with this must keep
 * that platform thread alive as long as the process.
 */
record Launcher(List<String> prefix, boolean becomesNobody) {
  private static final Logger log = LoggerFactory.getLogger(Launcher.class);
  private static final int NOBODY = 65534;
  private static final int PROBE_SECONDS = 10;

  static final Launcher PLAIN = new Launcher(List.of(), false);

  /** Dies with us. */
  static final Launcher BOUND =
      new Launcher(List.of("setsid", "setpriv", "--pdeathsig", "INT"), false);

  /** Dies with us, and does not see who we are. */
  static final Launcher HIDDEN =
      new Launcher(List.of("setsid", "setpriv", "--pdeathsig", "INT", "unshare", "-U"), false);

  /** As root, where user namespaces are forbidden. */
  static final Launcher AS_NOBODY =
      new Launcher(
          List.of(
              "setsid",
              "setpriv",
              "--reuid=" + NOBODY,
              "--regid=" + NOBODY,
              "--clear-groups",
              "--no-new-privs",
              "--pdeathsig",
              "INT"),
          true);

  Launcher {
    prefix = List.copyOf(prefix);
  }

  /** The best way on this machine, tried out rather than guessed. */
  static Launcher detect() {
    if (!System.getProperty("os.name").equals("Linux")) {
      return PLAIN;
    }
    if (isRoot()) {
      return firstThatWorks(HIDDEN, AS_NOBODY).orElseThrow(Launcher::noWayAsRoot);
    }
    // PostgreSQL also refuses users without a name, as some containers have; hiding helps.
    var candidates = isNameless() ? firstThatWorks(HIDDEN, BOUND) : firstThatWorks(BOUND);
    return candidates.orElseGet(Launcher::plainWithWarning);
  }

  private static Optional<Launcher> firstThatWorks(Launcher... candidates) {
    return Stream.of(candidates).filter(Launcher::works).findFirst();
  }

  private static PostgresStartException noWayAsRoot() {
    return new PostgresStartException(
        Reason.START_FAILED,
        "PostgreSQL refuses to run as root, and neither 'unshare -U' nor 'setpriv --reuid' works"
            + " here. Start as another user, or install util-linux.");
  }

  private static Launcher plainWithWarning() {
    log.warn(
        "'setsid' or 'setpriv' of util-linux is missing: if this JVM is killed, PostgreSQL goes"
            + " on.");
    return PLAIN;
  }

  /** The JDK's word for a user that the system does not know. */
  private static boolean isNameless() {
    return System.getProperty("user.name").equals("?");
  }

  static boolean isRoot() {
    try {
      return Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
    } catch (IOException e) {
      return System.getProperty("user.name").equals("root");
    }
  }

  private boolean works() {
    try {
      var probe = prepare(List.of("true")).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
      return probe.waitFor(PROBE_SECONDS, TimeUnit.SECONDS) && probe.exitValue() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Output and errors in one stream, English messages, and no setting of the user's shell. */
  ProcessBuilder prepare(List<String> command) {
    var line = new ArrayList<>(prefix);
    line.addAll(command);
    var builder = new ProcessBuilder(line).redirectErrorStream(true);
    builder.environment().keySet().removeIf(name -> name.startsWith("PG"));
    builder.environment().put("LC_ALL", "C");
    var root = new File("/");
    return root.isDirectory() ? builder.directory(root) : builder;
  }

  /** Hands a new folder to the user PostgreSQL will run as. */
  void giveAway(Path folder) throws IOException {
    if (becomesNobody) {
      Files.setAttribute(folder, "unix:uid", NOBODY);
      Files.setAttribute(folder, "unix:gid", NOBODY);
    }
  }
}
