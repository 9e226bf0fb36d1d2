package dev.kagzi.cli;

import dev.kagzi.cli.companion.Companion;
import dev.kagzi.cli.shell.CommandFailedException;
import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.cli.shell.Progress;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.server.KagziServer;
import dev.kagzi.server.ServerStartException;
import dev.kagzi.server.config.ConfigKeys;
import dev.kagzi.server.config.ConfigSources;
import dev.kagzi.server.config.DatabaseConfig;
import dev.kagzi.server.config.ServerConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** A server with everything it needs, for development on this machine. */
@Command(
    name = "dev",
    customSynopsis = "kagzi dev [FLAGS] [-- COMMAND...]",
    sortOptions = false,
    description = "Runs a server with a PostgreSQL of its own, and your worker, for development.",
    footer = "Example: kagzi dev --ephemeral -- mvn -q compile exec:exec")
final class DevCommand implements Callable<Integer> {
  private static final Path DATA = Path.of(".kagzi", "pg");
  private static final Path SOURCES = Path.of("src");
  private static final Duration SHUTDOWN_TIMEOUT = Duration.ofSeconds(5);
  private static final long LOOK_EVERY_MILLIS = 500;

  private final Session session;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it before anything is called
  private CommandSpec spec;

  @Option(
      names = "--ephemeral",
      description = "Keeps the data in a temporary folder, and deletes it at the end.")
  private boolean ephemeral;

  @Option(
      names = "--reset",
      description = "Deletes the data in ./.kagzi/pg first, with every run in it.")
  private boolean reset;

  @Option(
      names = "--print-config",
      description = "Prints every setting in force and where it came from, and starts nothing.")
  private boolean printConfig;

  @Option(
      names = "--no-reload",
      description = "Does not start the worker anew when a file below ./src changes.")
  private boolean noReload;

  @Parameters(
      paramLabel = "COMMAND",
      description =
          "Behind --: runs your worker beside the server, with KAGZI_ADDRESS set, and starts it"
              + " again when it ends or a file below ./src changes.")
  private List<String> worker = new ArrayList<>();

  private boolean stopping;

  DevCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() {
    var config = ServerConfig.load(sources());
    if (printConfig) {
      session.out().print(config.print());
      return ExitCode.OK.number();
    }
    requireSense(config);
    Logging.use(config.log());
    session.lifetime().hold(this::sayStopped);
    DevDatabase database;
    KagziServer server;
    try (var progress = new Progress(session)) {
      database = openDatabase(config, progress);
      progress.show("starting the server…");
      server = session.lifetime().hold(start(config, database));
    }
    var sources =
        Optional.of(session.folder().resolve(SOURCES))
            .filter(folder -> !worker.isEmpty() && !noReload && Files.isDirectory(folder));
    var banner = new Banner(session, config, new Banner.Worker(worker, sources));
    session.out().print(banner.text(server, database));
    session.out().flush();
    if (!worker.isEmpty()) {
      var environment = workerEnvironment("127.0.0.1:" + server.grpcPort());
      session.lifetime().hold(Companion.start(session, worker, environment, sources));
    }
    session.lifetime().hold(this::sayStopping);
    while (!session.lifetime().awaitEnding(LOOK_EVERY_MILLIS)) {
      database.requireAlive();
    }
    return ExitCode.OK.number();
  }

  /**
   * Build tools that would take an old Java get ours, if it has a compiler. Since that was not the
   * user's choice, Maven is kept from warning of what it does with it.
   */
  private Map<String, String> workerEnvironment(String address) {
    var variables = new HashMap<>(Map.of("KAGZI_ADDRESS", address));
    var java = Path.of(System.getProperty("java.home"));
    var compiles = Files.exists(java.resolve("bin").resolve("javac"));
    if (session.variable("JAVA_HOME").isEmpty() && compiles) {
      variables.put("JAVA_HOME", java.toString());
      var options = session.variable("MAVEN_OPTS").map(given -> given + " ").orElse("");
      OwnProgram.quietOption().ifPresent(quiet -> variables.put("MAVEN_OPTS", options + quiet));
    }
    return variables;
  }

  private void sayStopping() {
    stopping = true;
    session.out().println("stopping…");
  }

  /** Held first and so the last to be closed; a server that never ran has not stopped either. */
  private void sayStopped() {
    if (stopping) {
      session.out().println("stopped");
    }
  }

  private ConfigSources sources() {
    return ConfigSources.of(
            ConfigOptions.given(spec), session.serverEnvironment(), session.folder())
        .withDefault(ConfigKeys.DATABASE_MIGRATE, DatabaseConfig.Migrate.AUTO)
        .withDefault(ConfigKeys.SHUTDOWN_TIMEOUT, SHUTDOWN_TIMEOUT);
  }

  private void requireSense(ServerConfig config) {
    var listen = config.listen();
    if (!listen.isLoopback()) {
      refuse(
          "bind_address is %s from %s, and dev listens on this machine only; use kagzi server"
              .formatted(listen.bindAddress(), config.origin(ConfigKeys.BIND_ADDRESS)));
    }
    var url = config.database().url();
    if (url != null && (reset || ephemeral)) {
      refuse(
          "%s is for the embedded PostgreSQL, and database.url is %s from %s"
              .formatted(
                  reset ? "--reset" : "--ephemeral", url, config.origin(ConfigKeys.DATABASE_URL)));
    }
    if (!worker.isEmpty() && !spec.commandLine().getParseResult().originalArgs().contains("--")) {
      refuse(
          "unknown argument '%s' (a worker's command stands behind --, as in kagzi dev -- %1$s)"
              .formatted(worker.getFirst()));
    }
    if (reset && ephemeral) {
      refuse("--reset and --ephemeral: a temporary folder is always empty at first");
    }
  }

  private static void refuse(String reason) {
    throw new CommandFailedException(ExitCode.USAGE, reason, null);
  }

  private DevDatabase openDatabase(ServerConfig config, Progress progress) {
    var url = config.database().url();
    if (url != null) {
      return DevDatabase.own(url, config.origin(ConfigKeys.DATABASE_URL));
    }
    progress.show("starting a PostgreSQL (for the first time it is unpacked and set up)…");
    if (ephemeral) {
      return DevDatabase.temporary(session.lifetime());
    }
    var folder = new DevFolder(session.folder().resolve(DATA));
    if (reset) {
      folder.delete();
    }
    folder.create();
    return DevDatabase.kept(folder, session);
  }

  private KagziServer start(ServerConfig config, DevDatabase database) {
    try {
      return KagziServer.start(database.addTo(config));
    } catch (ServerStartException e) {
      throw database.isKept() && needsReset(e)
          ? new CommandFailedException(
              ExitCode.ERROR,
              "%s; kagzi dev --reset begins anew, without the runs in %s"
                  .formatted(e.getMessage(), session.shown(DATA)),
              e)
          : e;
    }
  }

  /** Whether only an empty database helps. */
  private static boolean needsReset(ServerStartException failure) {
    return switch (failure.reason()) {
      case SCHEMA_NEWER, SCHEMA_DRAFT -> true;
      case PORT_IN_USE,
          DATABASE_UNREACHABLE,
          DATABASE_LOGIN_FAILED,
          DATABASE_MISSING,
          DATABASE_FULL,
          SCHEMA_OLDER,
          FAILED ->
          false;
    };
  }
}
