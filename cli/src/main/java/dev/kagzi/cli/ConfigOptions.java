package dev.kagzi.cli;

import dev.kagzi.server.config.ConfigFlags;
import dev.kagzi.server.config.ConfigKey;
import dev.kagzi.server.config.ConfigKeys;
import dev.kagzi.server.config.Fault;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
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
    addTo(command, key -> true);
  }

  /** Gives a command the flags of those settings that concern the database. */
  static void addDatabaseTo(CommandSpec command) {
    addTo(command, key -> key.toString().startsWith("database."));
  }

  private static void addTo(CommandSpec command, Predicate<ConfigKey<?>> isWanted) {
    var group = ArgGroupSpec.builder().heading(HEADING).validate(false).exclusive(false);
    group.addArg(
        OptionSpec.builder(ConfigKeys.CONFIG_FLAG)
            .paramLabel("FILE")
            .type(String.class)
            .description("File with settings, instead of ./kagzi.toml.")
            .build());
    ConfigKeys.all().stream().filter(isWanted).forEach(key -> group.addArg(option(key)));
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

  /** What the command line sets, and what it sets twice. */
  static ConfigFlags given(CommandSpec command) {
    var values = new HashMap<String, String>();
    var faults = new ArrayList<Fault>();
    read(command, ConfigKeys.CONFIG_FLAG, values, faults);
    ConfigKeys.all().forEach(key -> read(command, key.flag(), values, faults));
    return new ConfigFlags(values, faults);
  }

  private static void read(
      CommandSpec command, String flag, Map<String, String> values, List<Fault> faults) {
    var option = command.findOption(flag);
    var texts = option == null ? List.<String>of() : option.originalStringValues();
    if (!texts.isEmpty()) {
      values.put(flag, texts.getLast());
    }
    if (texts.size() > 1) {
      faults.add(new Fault(flag, "given twice"));
    }
  }
}
