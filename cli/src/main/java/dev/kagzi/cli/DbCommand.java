package dev.kagzi.cli;

import dev.kagzi.cli.shell.CommandFailedException;
import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.cli.shell.Progress;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.engine.store.MigrationScript;
import dev.kagzi.engine.store.Schema;
import dev.kagzi.server.ServerDatabase;
import dev.kagzi.server.config.ConfigKeys;
import dev.kagzi.server.config.ConfigSources;
import dev.kagzi.server.config.ServerConfig;
import java.util.Locale;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What can be done to a server's database while no server runs. */
@Command(
    name = "db",
    synopsisSubcommandLabel = "COMMAND",
    description = "Looks at the schema of a server's database, and brings it up to date.",
    footer = "Example: kagzi db status --database-url postgres://kagzi@db.internal/kagzi")
final class DbCommand {
  private static final String LOOKING = "looking at the schema";

  private final Session session;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it before anything is called
  private CommandSpec spec;

  private DbCommand(Session session) {
    this.session = session;
  }

  /** The command, whose verbs take the settings of a server that concern the database. */
  static CommandLine commandLine(Session session) {
    var command = new CommandLine(new DbCommand(session));
    command
        .getSubcommands()
        .values()
        .forEach(verb -> ConfigOptions.addDatabaseTo(verb.getCommandSpec()));
    return command;
  }

  @Command(
      name = "migrate",
      description = "Brings the schema up to this version of Kagzi; safe to repeat.",
      footer = "Example: kagzi db migrate --print-sql")
  int migrate(
      @Option(
              names = "--print-sql",
              description = "Prints what would be done as a script, and does nothing.")
          boolean printSql) {
    var database = database("migrate");
    if (printSql) {
      var script = Progress.during(session, LOOKING, () -> database.schema(Schema::pending));
      session.out().print(script.text());
      return ExitCode.OK.number();
    }
    var done =
        Progress.during(
            session, "bringing the schema up to date", () -> database.schema(Schema::migrate));
    session
        .out()
        .println(
            done.applied() == 0
                ? "schema v%d (up to date)".formatted(done.version())
                : String.format(
                    Locale.ROOT,
                    "schema v%d (%d migration%s applied in %.1f s)",
                    done.version(),
                    done.applied(),
                    done.applied() == 1 ? "" : "s",
                    done.took().toMillis() / 1000.0));
    return ExitCode.OK.number();
  }

  @Command(
      name = "status",
      description = "Shows which schema the database has, and what is to be applied.",
      footer = "Example: kagzi db status")
  int status() {
    var config = config("status");
    var database = new ServerDatabase(config);
    var text =
        Progress.during(session, LOOKING, () -> database.schema(schema -> status(schema, config)));
    session.out().print(text);
    return ExitCode.OK.number();
  }

  private static String status(Schema schema, ServerConfig config) {
    var text = new StringBuilder();
    var found = schema.version();
    text.append(
        """
        database   %s at %s, from %s
        schema     v%d, this Kagzi needs v%d
        """
            .formatted(
                schema.databaseVersion(),
                config.database().requiredUrl(),
                config.origin(ConfigKeys.DATABASE_URL),
                found,
                Schema.VERSION));
    var pending = schema.pending().parts();
    for (var part : pending) {
      text.append("to apply   v%d %s%n".formatted(part.version(), part.description()));
    }
    text.append(pending.isEmpty() ? "up to date\n" : "try: kagzi db migrate\n");
    return text.toString();
  }

  @Command(
      name = "check",
      description = "Ends with 0 if a server of this version can use the schema as it is, else 1.",
      footer = "Example: kagzi db check")
  int check() {
    var database = database("check");
    var pending = Progress.during(session, LOOKING, () -> database.schema(Schema::pending));
    if (!pending.parts().isEmpty()) {
      throw new CommandFailedException(
          "the schema lacks %s; kagzi db migrate applies it".formatted(versions(pending)));
    }
    session.out().println("schema v%d (up to date)".formatted(Schema.VERSION));
    return ExitCode.OK.number();
  }

  private static String versions(MigrationScript script) {
    return String.join(", ", script.parts().stream().map(part -> "v" + part.version()).toList());
  }

  private ServerDatabase database(String verb) {
    return new ServerDatabase(config(verb));
  }

  private ServerConfig config(String verb) {
    var command = Objects.requireNonNull(spec.subcommands().get(verb)).getCommandSpec();
    return ServerConfig.load(
        ConfigSources.of(
                ConfigOptions.given(command), session.serverEnvironment(), session.folder())
            .requiring(ConfigKeys.DATABASE_URL));
  }
}
