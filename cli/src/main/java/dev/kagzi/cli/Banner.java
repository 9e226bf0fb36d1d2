package dev.kagzi.cli;

import dev.kagzi.cli.client.ClientOptions;
import dev.kagzi.cli.output.Words;
import dev.kagzi.cli.shell.Launcher;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.server.KagziServer;
import dev.kagzi.server.config.DatabaseConfig;
import dev.kagzi.server.config.ServerConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What a development server says when it is ready: where everything is, and what to try next. */
final class Banner {
  private static final Path HELLO = Path.of("examples/src/main/java/dev/kagzi/examples/Hello.java");
  private static final Path LIBRARIES = Path.of("cli/target/dist/lib");

  private final Session session;
  private final ServerConfig config;
  private final Worker worker;

  /**
   * The user's worker beside the server.
   *
   * @param command nothing if there is none
   * @param sources what is watched, if anything
   */
  record Worker(List<String> command, Optional<Path> sources) {}

  Banner(Session session, ServerConfig config, Worker worker) {
    this.session = session;
    this.config = config;
    this.worker = worker;
  }

  String text(KagziServer server, DevDatabase database) {
    return """

      kagzi %s dev   (not for production)
      gRPC       %s:%d      namespace default
      HTTP       http://%2$s:%d/readyz
      database   %s   %s
    %s
      Try, in another terminal:
    %s
      Ctrl-C stops it.

    """
        .formatted(
            Version.ofKagzi(),
            host(),
            server.grpcPort(),
            server.httpPort(),
            database.shown(server.databaseVersion()),
            schema(server),
            worker(),
            suggestions(server.grpcPort()) + diagnosis(server.grpcPort(), database));
  }

  private String worker() {
    if (worker.command().isEmpty()) {
      return "";
    }
    return "  worker     %s   %s%n"
        .formatted(
            String.join(" ", worker.command()),
            worker
                .sources()
                .map(folder -> "watching %s  (--no-reload)".formatted(session.shown(folder)))
                .orElse("watching nothing"));
  }

  private String host() {
    var address = config.listen().bindAddress();
    return address.equals("127.0.0.1")
        ? "localhost"
        : address.contains(":") ? "[" + address + "]" : address;
  }

  private String schema(KagziServer server) {
    if (config.database().migrate() == DatabaseConfig.Migrate.OFF) {
      return "schema not looked at";
    }
    var schema = server.migrated();
    return schema.applied() == 0
        ? "schema v%d (up to date)".formatted(schema.version())
        : String.format(
            Locale.ROOT,
            "schema v%d (%s applied in %.1f s)",
            schema.version(),
            Words.count(schema.applied(), "migration"),
            schema.took().toMillis() / 1000.0);
  }

  private String suggestions(int port) {
    var launcher = Launcher.ofThisProcess();
    return worker.command().isEmpty()
        ? "    %s demo      # kills a worker half-way; its run goes on in another one%n"
                .formatted(kagzi(session))
            + launcher.flatMap(Launcher::checkout).flatMap(it -> hello(it, port)).orElse("")
        : withWorker(kagzi(session), address(port));
  }

  private static String kagzi(Session session) {
    return Launcher.ofThisProcess().map(it -> it.typed(session)).orElse("kagzi");
  }

  /** What a command needs to be told about the server; nothing if it listens where all look. */
  private String address(int port) {
    return ("localhost:" + port).equals(ClientOptions.DEFAULT_ADDRESS)
        ? ""
        : " --address %s:%d".formatted(host(), port);
  }

  /** Nobody can guess the address of a database on a free port. */
  private String diagnosis(int port, DevDatabase database) {
    return database
        .url()
        .map(url ->
            "    %s doctor%s --database-url %s%n".formatted(kagzi(session), address(port), url))
        .orElse("");
  }

  /** Commands for whoever has a worker already. */
  private static String withWorker(String kagzi, String address) {
    return """
        %1$s worker list%2$s         # what your worker serves, once it is up
        %1$s run TYPE INPUT%2$s      # starts a run of it and follows it
    """
        .formatted(kagzi, address);
  }

  /** A command that works as it stands, in a checkout, with the Java that runs us. */
  private Optional<String> hello(Path checkout, int port) {
    var source = checkout.resolve(HELLO);
    if (!Files.exists(source)) {
      return Optional.empty();
    }
    return Optional.of(
        "    %s --enable-native-access=ALL-UNNAMED -cp '%s/*' %s %s:%d%n"
            .formatted(
                Path.of(System.getProperty("java.home"), "bin", "java"),
                session.shown(checkout.resolve(LIBRARIES)),
                typed(source),
                host(),
                port));
  }

  /** A path as a shell takes it. */
  private String typed(Path path) {
    var shown = session.shown(path);
    return shown.contains(" ") ? "'" + shown + "'" : shown;
  }
}
