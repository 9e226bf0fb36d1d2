package dev.kagzi.server.config;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Where to look for values, the strongest first: flags, environment, file, defaults. The file is
 * the one that {@code --config} or {@code KAGZI_CONFIG_FILE} names and then must exist, or else
 * {@code kagzi.toml} in the folder, if there is one. Immutable.
 *
 * @param folder what relative paths are relative to
 * @param defaults defaults of one command that replace those of the keys
 * @param required keys that the command cannot do without
 */
public record ConfigSources(
    ConfigFlags flags,
    Map<String, String> environment,
    Path folder,
    Map<ConfigKey<?>, Object> defaults,
    Set<ConfigKey<?>> required) {

  public ConfigSources {
    environment = Map.copyOf(environment);
    defaults = Map.copyOf(defaults);
    required = Set.copyOf(required);
  }

  public static ConfigSources of(ConfigFlags flags, Map<String, String> environment, Path folder) {
    return new ConfigSources(flags, environment, folder, Map.of(), Set.of());
  }

  /** The same places, but a command's own default for a key. */
  public <T> ConfigSources withDefault(ConfigKey<T> key, T value) {
    var extended = new HashMap<>(defaults);
    extended.put(key, value);
    return new ConfigSources(flags, environment, folder, extended, required);
  }

  /** The same places, and a fault if none of them has a value for this key. */
  public ConfigSources requiring(ConfigKey<?> key) {
    var extended = new HashSet<>(required);
    extended.add(key);
    return new ConfigSources(flags, environment, folder, defaults, extended);
  }

  @SuppressWarnings("unchecked") // withDefault() takes only a T under a ConfigKey<T>
  <T> Optional<T> defaultOf(ConfigKey<T> key) {
    return Optional.ofNullable((T) defaults.get(key));
  }
}
