package dev.kagzi.cli.doctor;

import dev.kagzi.cli.client.ClientOptions;
import dev.kagzi.cli.output.OutputOptions;
import dev.kagzi.cli.shell.CommandFailedException;
import dev.kagzi.cli.shell.Progress;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.server.ServerDatabase;
import dev.kagzi.server.ServerStartException;
import dev.kagzi.server.config.ConfigFlags;
import dev.kagzi.server.config.ConfigKeys;
import dev.kagzi.server.config.ConfigSources;
import dev.kagzi.server.config.ServerConfig;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Looks at everything that is commonly wrong, and says what to do about it. */
@Command(
    name = "doctor",
    description = "Looks for what is commonly wrong; ends with 1 if there is a problem.",
    footer = "Example: kagzi doctor --database-url postgres://kagzi@db.internal/kagzi")
public final class DoctorCommand implements Callable<Integer> {
  private final Session session;
  private final Optional<String> ownVersion;

  @Mixin
  @SuppressWarnings("NullAway.Init") // picocli sets it before anything is called
  private ClientOptions client;

  @Mixin
  @SuppressWarnings("NullAway.Init") // picocli sets it before anything is called
  private OutputOptions output;

  @Option(
      names = "--database-url",
      paramLabel = "URL",
      description = "Also looks at the server's database itself. Also KAGZI_DATABASE_URL.")
  private @Nullable String databaseUrl;

  /**
   * Makes the command.
   *
   * @param ownVersion the version of this program, if it was built as a whole
   */
  public DoctorCommand(Session session, Optional<String> ownVersion) {
    this.session = session;
    this.ownVersion = ownVersion;
  }

  @Override
  public Integer call() {
    var server = client.open(session);
    var report = new Report(session, output);
    report.add(found("the server", () -> new ServerChecks(server, ownVersion).look()));
    if (!report.isOneProblem()) {
      report.add(found("queues and workers", () -> new WorkChecks(server, session.now()).look()));
      report.add(found("the newest runs", () -> new RunChecks(server, session.now()).look()));
    }
    report.add(found("the database", this::lookAtDatabase));
    return report.end().number();
  }

  /** What keeps somebody from looking is a finding as well. */
  private List<Finding> found(String where, Supplier<List<Finding>> look) {
    try {
      return Progress.during(session, "looking at " + where, look);
    } catch (CommandFailedException | ServerStartException failure) {
      return List.of(Finding.problem(String.valueOf(failure.getMessage()).replace("\n", "\n  ")));
    }
  }

  private List<Finding> lookAtDatabase() {
    var config = ServerConfig.load(sources());
    if (config.database().url() == null) {
      return List.of(
          Finding.unknown(
              "indexes, the claim's plan, dead rows, payloads of steps, long transactions,"
                  + " isolation and the size on disk were not looked at; --database-url or"
                  + " KAGZI_DATABASE_URL names the database"));
    }
    return new DatabaseChecks(new ServerDatabase(config)).look();
  }

  private ConfigSources sources() {
    var flags =
        databaseUrl == null
            ? ConfigFlags.none()
            : ConfigFlags.of(Map.of(ConfigKeys.DATABASE_URL.flag(), databaseUrl));
    return ConfigSources.of(flags, session.serverEnvironment(), session.folder());
  }
}
