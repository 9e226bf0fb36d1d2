package dev.kagzi.cli;

import dev.kagzi.server.config.ConfigFlags;
import dev.kagzi.server.config.ConfigKey;
import dev.kagzi.server.config.ConfigKeys;
import java.util.HashMap;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Everything that can be set on a server, as flags of a command. Stateless. */
final class ConfigOptions {
  private static final String HEADING =
      "%nSettings of the server, also in the environment as KAGZI_… and in kagzi.toml:%n";

  private ConfigOptions() {}

  /** Gives a command the flags of all settings, and {@code --config} for a file of them. */
  static void addTo(CommandSpec command) {
    var group = ArgGroupSpec.builder().heading(HEADING).validate(false).exclusive(false);
    group.addArg(
        OptionSpec.builder(ConfigKeys.CONFIG_FLAG)
            .paramLabel("FILE")
            .type(String.class)
            .description("File with settings, instead of ./kagzi.toml.")
            .build());
    ConfigKeys.all().forEach(key -> group.addArg(option(key)));
    command.addArgGroup(group.build());
  }

  private static OptionSpec option(ConfigKey<?> key) {
    return OptionSpec.builder(names(key))
        .paramLabel("VALUE")
        .type(String.class)
        .description(description(key).replace("%", "%%"))
        .build();
  }

  private static String[] names(ConfigKey<?> key) {
    return key.equals(ConfigKeys.GRPC_PORT)
        ? new String[] {"--port", key.flag()}
        : new String[] {key.flag()};
  }

  private static String description(ConfigKey<?> key) {
    var preset = key.defaultText();
    return preset == null
        ? key.description()
        : "%s Default: %s.".formatted(key.description(), preset);
  }

  /** What the command line sets. */
  static ConfigFlags given(CommandSpec command) {
    var parsed = command.commandLine().getParseResult();
    var values = new HashMap<String, String>();
    ConfigKeys.all().forEach(key -> put(key.flag(), parsed.matchedOptionValue(key.flag(), ""), values));
    put(ConfigKeys.CONFIG_FLAG, parsed.matchedOptionValue(ConfigKeys.CONFIG_FLAG, ""), values);
    return ConfigFlags.of(values);
  }

  private static void put(String flag, String value, HashMap<String, String> values) {
    if (!value.isEmpty()) {
      values.put(flag, value);
    }
  }
}
