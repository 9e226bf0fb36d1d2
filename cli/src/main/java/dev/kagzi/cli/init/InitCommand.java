package dev.kagzi.cli.init;

import dev.kagzi.cli.shell.CommandFailedException;
import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.cli.shell.Launcher;
import dev.kagzi.cli.shell.Session;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Writes a project that builds and runs. */
@Command(
    name = "init",
    description = "Creates a folder with a small project: a workflow, its worker and a test.",
    footer = "Example: kagzi init hello")
public final class InitCommand implements Callable<Integer> {
  private final Session session;
  private final Optional<String> ownVersion;

  @Parameters(paramLabel = "NAME", description = "The project's name and folder, such as my-shop.")
  @SuppressWarnings("NullAway.Init") // picocli sets it before anything is called
  private String name;

  @Option(
      names = "--kagzi-version",
      paramLabel = "VERSION",
      description = "The version of Kagzi to use. Default: that of this command.")
  private @Nullable String version;

  /**
   * Makes the command.
   *
   * @param ownVersion the version of this program, if it was built as a whole
   */
  public InitCommand(Session session, Optional<String> ownVersion) {
    this.session = session;
    this.ownVersion = ownVersion;
  }

  @Override
  public Integer call() {
    var project = new ProjectName(name);
    var used = Optional.ofNullable(version).or(() -> ownVersion).orElseThrow(() -> unknown());
    var skeleton = new Skeleton(project, used);
    write(skeleton, session.folder().resolve(name));
    session.out().print(nextSteps(skeleton));
    return ExitCode.OK.number();
  }

  private static CommandFailedException unknown() {
    return CommandFailedException.usage(
        "this build of Kagzi does not know its version; give it with --kagzi-version");
  }

  private void write(Skeleton skeleton, Path folder) {
    try {
      if (!isFree(folder)) {
        throw CommandFailedException.usage(
            "%s exists and is not empty; nothing was written, choose another name"
                .formatted(session.shown(folder)));
      }
      skeleton.writeTo(folder);
    } catch (IOException e) {
      throw new CommandFailedException(
          "%s cannot be written: %s".formatted(session.shown(folder), e.getMessage()));
    }
  }

  private static boolean isFree(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return true;
    }
    if (!Files.isDirectory(folder)) {
      return false;
    }
    try (var content = Files.list(folder)) {
      return content.findAny().isEmpty();
    }
  }

  private String nextSteps(Skeleton skeleton) {
    var kagzi = Launcher.ofThisProcess().map(it -> it.typed(session)).orElse("kagzi");
    return """
    created ./%1$s with %2$s
    %3$s
    Next:
      cd %1$s
      %4$s dev -- mvn -q compile exec:exec                  # server, database and your worker
      %4$s run greet '{"name":"Ada"}' --queue %1$s          # in another terminal
      mvn test
    """
        .formatted(
            name,
            String.join(", ", skeleton.files().keySet()),
            installation(skeleton.version()),
            kagzi.startsWith("./") ? "../" + kagzi.substring("./".length()) : kagzi);
  }

  /** What is to be done once, because Maven Central does not have Kagzi. */
  private String installation(String version) {
    var sdk = Path.of(".m2", "repository", "dev", "kagzi", "kagzi-sdk", version);
    var installed =
        session.variable("HOME").filter(home -> Files.exists(Path.of(home).resolve(sdk)));
    if (installed.isPresent()) {
      return "";
    }
    var checkout =
        Launcher.ofThisProcess()
            .flatMap(Launcher::checkout)
            .map(session::shown)
            .orElse("(a checkout of Kagzi)");
    return """

    Once, because Kagzi %s is not on Maven Central yet:
      (cd %s && mvn -q -Dmaven.test.skip -pl sdk,embedded,embedded-postgres -am install)
    """
        .formatted(version, checkout);
  }
}
