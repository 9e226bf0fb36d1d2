package dev.kagzi.server.config;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Collects the settings from all sources, the weakest first, so that stronger ones replace them,
 * and every fault on the way. For one use; not thread-safe.
 */
final class ConfigReader {
  private static final String USUAL_FILE = "kagzi.toml";

  private final ConfigSources sources;
  private final Map<ConfigKey<?>, Given> given = new HashMap<>();
  private final List<Fault> faults = new ArrayList<>();

  /** What one source says, before anybody knows if it is right. */
  private record Given(String text, Origin origin) {}

  /** One source: how it spells the keys, and what it says. */
  private record Source(
      String noun,
      Function<ConfigKey<?>, String> spelling,
      Function<String, Origin> origin,
      Map<String, String> texts) {}

  ConfigReader(ConfigSources sources) {
    this.sources = sources;
  }

  /** All settings that are in order; what is not, is in {@link #faults()}. */
  Settings read() {
    collect(file());
    collect(environment());
    collect(flags());
    var settings = Settings.ofDefaults();
    ConfigKeys.all().forEach(key -> settle(key, settings));
    return settings;
  }

  List<Fault> faults() {
    return faults;
  }

  private Source file() {
    var file = openFile();
    faults.addAll(file.faults());
    var origin = Origin.file(file.name());
    return new Source("key in " + file.name(), ConfigKey::name, name -> origin, file.values());
  }

  private ConfigFile openFile() {
    var asked = askedFile();
    if (asked != null) {
      return ConfigFile.read(sources.folder().resolve(asked));
    }
    var usual = sources.folder().resolve(USUAL_FILE);
    return Files.exists(usual) ? ConfigFile.read(usual) : ConfigFile.NONE;
  }

  private @Nullable String askedFile() {
    var flag = sources.flags().values().get(ConfigKeys.CONFIG_FLAG);
    if (flag != null) {
      return flag;
    }
    var variable = sources.environment().getOrDefault(ConfigKeys.CONFIG_VARIABLE, "");
    return variable.isEmpty() ? null : variable;
  }

  private Source environment() {
    return new Source(
        "environment variable",
        ConfigKey::environmentName,
        Origin::environment,
        OwnVariables.of(sources.environment()));
  }

  private Source flags() {
    faults.addAll(sources.flags().faults());
    var texts = new HashMap<>(sources.flags().values());
    texts.remove(ConfigKeys.CONFIG_FLAG);
    return new Source("flag", ConfigKey::flag, Origin::flag, texts);
  }

  private void collect(Source source) {
    var keys = new HashMap<String, ConfigKey<?>>();
    ConfigKeys.all().forEach(key -> keys.put(source.spelling().apply(key), key));
    var names = source.texts().keySet().stream().sorted().toList();
    for (var name : names) {
      var key = keys.get(name);
      if (key == null) {
        faults.add(Fault.unknown(name, source.noun(), keys.keySet()));
      } else {
        given.put(
            key, new Given(source.texts().getOrDefault(name, ""), source.origin().apply(name)));
      }
    }
  }

  private <T> void settle(ConfigKey<T> key, Settings settings) {
    var found = given.get(key);
    if (found != null) {
      settleGiven(key, found, settings);
      return;
    }
    sources.defaultOf(key).ifPresent(value -> settings.put(key, value, Origin.DEFAULT));
    if (sources.required().contains(key) && settings.isAbsent(key)) {
      faults.add(
          new Fault(
              key.name(),
              "not set (give %s, %s, or the key in %s; expected: %s)"
                  .formatted(key.flag(), key.environmentName(), USUAL_FILE, key.expected())));
    }
  }

  private <T> void settleGiven(ConfigKey<T> key, Given found, Settings settings) {
    try {
      settings.put(key, key.parse(found.text()), found.origin());
    } catch (IllegalArgumentException e) {
      // Without a value the rules that need it keep silent, and only this fault is reported.
      settings.refuse(key);
      var expected = String.valueOf(e.getMessage());
      faults.add(Fault.wrongValue(key.name(), key.shown(found.text()), found.origin(), expected));
    }
  }
}
