package dev.kagzi.server.config;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Values by key, each with its origin. Mutable while it is collected; not thread-safe then. */
final class Settings {
  private final Map<ConfigKey<?>, Setting> settings = new HashMap<>();
  private final Set<ConfigKey<?>> refused = new HashSet<>();

  private record Setting(Object value, Origin origin) {}

  static Settings ofDefaults() {
    var settings = new Settings();
    ConfigKeys.all().forEach(settings::putDefault);
    return settings;
  }

  Settings copy() {
    var copy = new Settings();
    copy.settings.putAll(settings);
    copy.refused.addAll(refused);
    return copy;
  }

  private <T> void putDefault(ConfigKey<T> key) {
    var value = key.defaultValue();
    if (value != null) {
      put(key, value, Origin.DEFAULT);
    }
  }

  <T> void put(ConfigKey<T> key, T value, Origin origin) {
    refused.remove(key);
    settings.put(key, new Setting(Objects.requireNonNull(value, key.name()), origin));
  }

  /** Notes that what was given for the key cannot be used. */
  void refuse(ConfigKey<?> key) {
    settings.remove(key);
    refused.add(key);
  }

  /** Whether nothing was given for the key, not even something wrong. */
  boolean isAbsent(ConfigKey<?> key) {
    return !settings.containsKey(key) && !refused.contains(key);
  }

  /** The value, or null if there is none. */
  @SuppressWarnings("unchecked") // put() takes only a T under a ConfigKey<T>
  <T> @Nullable T find(ConfigKey<T> key) {
    var setting = settings.get(key);
    return setting == null ? null : (T) setting.value();
  }

  /** The value of a key that has a default. */
  <T> T get(ConfigKey<T> key) {
    var value = find(key);
    if (value == null) {
      throw new IllegalStateException(key + " has no value");
    }
    return value;
  }

  /** Where the value came from; a key without a value has the default, which is none. */
  Origin origin(ConfigKey<?> key) {
    var setting = settings.get(key);
    return setting == null ? Origin.DEFAULT : setting.origin();
  }

  /** The value as TOML, secrets masked, or null if there is none. */
  <T> @Nullable String toml(ConfigKey<T> key) {
    var value = find(key);
    return value == null ? null : key.toml(value);
  }
}
