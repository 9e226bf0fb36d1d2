package dev.kagzi.cli.shell;

import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What one call of the command works with. Immutable.
 *
 * @param folder the working folder
 * @param lifetime takes what the command must not leave behind
 * @param statusLine where the command tells what is going on
 */
public record Session(
    Map<String, String> environment,
    Path folder,
    Streams streams,
    Lifetime lifetime,
    StatusLine statusLine) {
  private static final String DEBUG_VARIABLE = "KAGZI_DEBUG";

  public Session {
    environment = Map.copyOf(environment);
  }

  public Session(Map<String, String> environment, Path folder, Streams streams, Lifetime lifetime) {
    this(environment, folder, streams, lifetime, new StatusLine());
  }

  /** The call that this process was started for. */
  public static Session ofThisProcess() {
    return new Session(
        System.getenv(), Path.of("").toAbsolutePath(), Streams.ofThisProcess(), new Lifetime());
  }

  public InputStream in() {
    return streams.in();
  }

  public PrintStream out() {
    return streams.out();
  }

  public PrintStream err() {
    return streams.err();
  }

  public Terminal terminal() {
    return streams.terminal();
  }

  /** What the clock of this machine says, for a person to compare with. */
  public Instant now() {
    return InstantSource.system().instant();
  }

  /** A variable of the environment; an empty one counts as none. */
  public Optional<String> variable(String name) {
    return Optional.ofNullable(environment.get(name)).filter(value -> !value.isEmpty());
  }

  /** Whether stack traces are wanted. */
  public boolean isDebug() {
    return environment.getOrDefault(DEBUG_VARIABLE, "").equals("1");
  }

  /** The environment without the variable that is the command's own and no server's. */
  public Map<String, String> serverEnvironment() {
    var variables = new HashMap<>(environment);
    variables.remove(DEBUG_VARIABLE);
    return variables;
  }

  /** A path as short as the person at the keyboard can use it. */
  public String shown(Path path) {
    var absolute = folder.resolve(path).normalize();
    return absolute.startsWith(folder) ? "./" + folder.relativize(absolute) : absolute.toString();
  }
}
