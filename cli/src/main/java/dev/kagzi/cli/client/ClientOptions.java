package dev.kagzi.cli.client;

import dev.kagzi.cli.shell.Session;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The flags that say which server and namespace a command is for. A flag is stronger than the
 * environment, that is stronger than the profile, and all are stronger than the default.
 */
public final class ClientOptions {
  /** Where a development server is, unless it was told otherwise. */
  public static final String DEFAULT_ADDRESS = "localhost:50051";

  private static final String DEFAULT_NAMESPACE = "default";

  @Option(
      names = "--address",
      paramLabel = "HOST:PORT",
      description =
          "The server, or several with commas. Also KAGZI_ADDRESS. Default: localhost:50051.")
  private @Nullable String address;

  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "NAME",
      description = "The namespace. Also KAGZI_NAMESPACE. Default: default.")
  private @Nullable String namespace;

  @Option(
      names = "--profile",
      paramLabel = "NAME",
      description = "A profile of the configuration file. Also KAGZI_PROFILE.")
  private @Nullable String profile;

  /** The line to the server, closed at the end of the command. */
  public Server open(Session session) {
    return Server.open(session, settings(session));
  }

  /** What is in force, and who said so. */
  public ClientSettings settings(Session session) {
    var profiles = Profiles.read(session);
    var name = profileName(session, profiles);
    var values = name.map(profiles::named).orElse(Map.of());
    var origin = name.map(it -> "profile " + it.value() + " in " + profiles.file()).orElse("");
    return new ClientSettings(
        name,
        first(session, "--address", address, "KAGZI_ADDRESS")
            .or(() -> of(values, "address", origin))
            .orElse(new Setting(DEFAULT_ADDRESS, "the default")),
        first(session, "--namespace", namespace, "KAGZI_NAMESPACE")
            .or(() -> of(values, "namespace", origin))
            .orElse(new Setting(DEFAULT_NAMESPACE, "the default")));
  }

  private Optional<Setting> profileName(Session session, Profiles profiles) {
    return first(session, "--profile", profile, "KAGZI_PROFILE")
        .or(() -> profiles.current().map(it -> new Setting(it, profiles.file().toString())));
  }

  private static Optional<Setting> first(
      Session session, String flag, @Nullable String given, String variable) {
    return given == null
        ? session.variable(variable).map(value -> new Setting(value, variable))
        : Optional.of(new Setting(given, flag));
  }

  private static Optional<Setting> of(Map<String, String> values, String key, String origin) {
    return Optional.ofNullable(values.get(key)).map(value -> new Setting(value, origin));
  }
}
