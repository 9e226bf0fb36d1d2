package dev.kagzi.cli;

import dev.kagzi.cli.shell.Launcher;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.server.KagziServer;
import dev.kagzi.server.config.DatabaseConfig;
import dev.kagzi.server.config.ServerConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/** What a development server says when it is ready: where everything is, and what to try next. */
final class Banner {
  private static final Path HELLO = Path.of("examples/src/main/java/dev/kagzi/examples/Hello.java");
  private static final Path LIBRARIES = Path.of("cli/target/dist/lib");

  private final Session session;
  private final ServerConfig config;

  Banner(Session session, ServerConfig config) {
    this.session = session;
    this.config = config;
  }

  String text(KagziServer server, DevDatabase database) {
    return """

      kagzi %s dev   (not for production)
      gRPC       %s:%d      namespace default
      HTTP       http://%2$s:%d/readyz
      database   %s   %s

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
            suggestions(server.grpcPort()));
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
            "schema v%d (%d migration%s applied in %.1f s)",
            schema.version(),
            schema.applied(),
            schema.applied() == 1 ? "" : "s",
            schema.took().toMillis() / 1000.0);
  }

  private String suggestions(int port) {
    var launcher = Launcher.ofThisProcess().map(Launcher::script);
    var demo =
        "    %s demo      # kills a worker half-way; its run goes on in another one%n"
            .formatted(launcher.map(this::typed).orElse("kagzi"));
    var hello = launcher.map(Path::getParent).flatMap(checkout -> hello(checkout, port)).orElse("");
    return demo + hello;
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
