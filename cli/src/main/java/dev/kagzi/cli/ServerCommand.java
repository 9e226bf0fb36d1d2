package dev.kagzi.cli;

import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.server.KagziServer;
import dev.kagzi.server.config.ConfigKeys;
import dev.kagzi.server.config.ConfigSources;
import dev.kagzi.server.config.ServerConfig;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A server on somebody's own PostgreSQL; it logs, and prints nothing. */
@Command(
    name = "server",
    customSynopsis = "kagzi server [FLAGS]",
    sortOptions = false,
    description = "Runs a server on your PostgreSQL.",
    footer = "Example: kagzi server --database-url postgres://kagzi@db.internal/kagzi")
final class ServerCommand implements Callable<Integer> {
  private static final Logger log = LoggerFactory.getLogger(ServerCommand.class);
  private static final long FOR_EVER = Long.MAX_VALUE;

  private final Session session;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it before anything is called
  private CommandSpec spec;

  @Option(
      names = "--print-config",
      description = "Prints every setting in force and where it came from, and starts nothing.")
  private boolean printConfig;

  ServerCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() {
    if (printConfig) {
      session.out().print(ServerConfig.load(sources()).print());
      return ExitCode.OK.number();
    }
    serve(ServerConfig.load(sources().requiring(ConfigKeys.DATABASE_URL)));
    return ExitCode.OK.number();
  }

  private ConfigSources sources() {
    return ConfigSources.of(
        ConfigOptions.given(spec), session.serverEnvironment(), session.folder());
  }

  private void serve(ServerConfig config) {
    Logging.use(config.log());
    log.info("Kagzi {} starts", Version.ofKagzi());
    session.lifetime().hold(KagziServer.start(config));
    session.lifetime().hold(() -> log.info("the server stops"));
    session.lifetime().awaitEnding(FOR_EVER);
  }
}
