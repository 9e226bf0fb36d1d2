package dev.kagzi.cli.config;

import dev.kagzi.cli.client.ClientOptions;
import dev.kagzi.cli.client.Profiles;
import dev.kagzi.cli.client.Setting;
import dev.kagzi.cli.output.Look;
import dev.kagzi.cli.output.Table;
import dev.kagzi.cli.shell.CommandFailedException;
import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.server.config.Suggestion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Profiles: which servers there are, and which one commands are for. */
@Command(
    name = "config",
    synopsisSubcommandLabel = "COMMAND",
    description = "Shows and changes profiles, which say which server commands are for.",
    footer = "Example: kagzi config show --origin")
public final class ConfigCommand {
  private final Session session;

  public ConfigCommand(Session session) {
    this.session = session;
  }

  @Command(
      name = "list",
      description = "Lists the profiles; the one in force has a star.",
      footer = "Example: kagzi config list")
  int list() {
    var profiles = Profiles.read(session);
    var current = session.variable("KAGZI_PROFILE").or(profiles::current).orElse("");
    var table = new Table("", "PROFILE", "ADDRESS", "NAMESPACE");
    new TreeMap<>(profiles.all())
        .forEach((name, values) ->
            table.row(
                name.equals(current) ? "*" : "",
                name,
                values.getOrDefault("address", Look.NONE),
                values.getOrDefault("namespace", Look.NONE)));
    session.out().print(table.text());
    return ExitCode.OK.number();
  }

  @Command(
      name = "show",
      description =
          "Shows what commands are for: flags, environment, profile and defaults together.",
      footer = "Example: kagzi config show --origin")
  int show(
      @Mixin ClientOptions client,
      @Option(names = "--origin", description = "Also says where each value comes from.")
          boolean origin) {
    var settings = client.settings(session);
    var table = origin ? new Table("SETTING", "VALUE", "ORIGIN") : new Table("SETTING", "VALUE");
    var none = new Setting(Look.NONE, "no profile is in force");
    row(table, origin, "profile", settings.profile().orElse(none));
    row(table, origin, "address", settings.address());
    row(table, origin, "namespace", settings.namespace());
    session.out().print(table.text());
    return ExitCode.OK.number();
  }

  private static void row(Table table, boolean origin, String name, Setting setting) {
    if (origin) {
      table.row(name, setting.value(), setting.origin());
    } else {
      table.row(name, setting.value());
    }
  }

  @Command(
      name = "use",
      description = "Puts a profile in force.",
      footer = "Example: kagzi config use production")
  int use(@Parameters(paramLabel = "PROFILE", description = "Its name.") String name) {
    requireProfile(name);
    change(text -> text.using(name));
    session.out().println("profile " + name + " is in force");
    session
        .variable("KAGZI_PROFILE")
        .filter(stronger -> !stronger.equals(name))
        .ifPresent(stronger ->
            session
                .err()
                .println("but KAGZI_PROFILE is set, and so " + stronger + " is used here"));
    return ExitCode.OK.number();
  }

  private void requireProfile(String name) {
    var profiles = Profiles.read(session);
    if (!profiles.all().containsKey(name)) {
      throw CommandFailedException.notFound(
          "there is no profile '%s' in %s%s; kagzi config set address=HOST:PORT --profile %1$s makes it"
              .formatted(name, profiles.file(), suggestion(name, profiles.all().keySet())));
    }
  }

  private static String suggestion(String word, Iterable<String> known) {
    return Suggestion.nearest(word, known)
        .map(near -> " (did you mean '" + near + "'?)")
        .orElse("");
  }

  @Command(
      name = "set",
      description = "Sets what a profile says, and makes the profile if there is none.",
      footer = "Example: kagzi config set address=kagzi.internal:50051 --profile production")
  int set(
      @Option(
              names = "--profile",
              paramLabel = "NAME",
              description = "The profile. Default: the one in force.")
          @Nullable String profile,
      @Parameters(
              arity = "1..*",
              paramLabel = "KEY=VALUE",
              description = "address=HOST:PORT or namespace=NAME.")
          Map<String, String> values) {
    var name = Optional.ofNullable(profile).or(this::inForce).orElseThrow(ConfigCommand::nameless);
    values.keySet().forEach(ConfigCommand::requireKey);
    change(text -> {
      var changed = text;
      for (var value : new TreeMap<>(values).entrySet()) {
        changed = changed.with(name, value.getKey(), value.getValue());
      }
      return changed;
    });
    session.out().println("profile " + name + " written to " + Profiles.file(session));
    return ExitCode.OK.number();
  }

  private Optional<String> inForce() {
    return session.variable("KAGZI_PROFILE").or(() -> Profiles.read(session).current());
  }

  private static CommandFailedException nameless() {
    return CommandFailedException.usage("no profile is in force; name one with --profile");
  }

  private static void requireKey(String key) {
    if (!Profiles.KEYS.contains(key)) {
      throw CommandFailedException.usage(
          "unknown key '%s'%s (expected: address or namespace)"
              .formatted(key, suggestion(key, Profiles.KEYS)));
    }
  }

  @Command(
      name = "path",
      description = "Prints where the profiles are kept, whether or not there are any.",
      footer = "Example: kagzi config path")
  int path() {
    session.out().println(Profiles.file(session));
    return ExitCode.OK.number();
  }

  /** Changes the file as a whole, and only from one that can be read to one that can be read. */
  private void change(UnaryOperator<ProfileText> change) {
    var file = Profiles.read(session).file();
    try {
      var before = Files.exists(file) ? Files.readString(file) : "";
      Files.createDirectories(file.getParent());
      replace(file, change.apply(ProfileText.of(before)).text());
    } catch (IOException e) {
      throw new CommandFailedException("%s cannot be written: %s".formatted(file, e.getMessage()));
    }
    Profiles.read(session);
  }

  private static void replace(Path file, String text) throws IOException {
    var target = Files.exists(file) ? file.toRealPath() : file;
    var next = Files.createTempFile(target.getParent(), "config", ".toml");
    Files.writeString(next, text);
    Files.move(next, target, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
  }
}
