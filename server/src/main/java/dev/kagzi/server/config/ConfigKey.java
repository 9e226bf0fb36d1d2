package dev.kagzi.server.config;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One thing that can be set, and its three spellings: {@code coordinator.batch_size} in the file,
 * {@code KAGZI_COORDINATOR_BATCH_SIZE} in the environment, {@code --coordinator-batch-size} on the
 * command line. Immutable; all keys are in {@link ConfigKeys}.
 */
public final class ConfigKey<T> {
  private final String name;
  private final ValueType<T> type;
  private final @Nullable T defaultValue;
  private final String description;

  private ConfigKey(String name, ValueType<T> type, @Nullable T defaultValue, String description) {
    this.name = name;
    this.type = type;
    this.defaultValue = defaultValue;
    this.description = description;
  }

  static <T> ConfigKey<T> of(String name, ValueType<T> type, T defaultValue, String description) {
    return new ConfigKey<>(name, type, defaultValue, description);
  }

  static <T> ConfigKey<T> withoutDefault(String name, ValueType<T> type, String description) {
    return new ConfigKey<>(name, type, null, description);
  }

  /** The dotted name, as in {@code kagzi.toml}. */
  public String name() {
    return name;
  }

  public String environmentName() {
    return "KAGZI_" + name.replace('.', '_').toUpperCase(Locale.ROOT);
  }

  /** The long option, with its dashes. */
  public String flag() {
    return "--" + name.replace('.', '-').replace('_', '-');
  }

  /** One line for help texts and documentation. */
  public String description() {
    return description;
  }

  /** What is acceptable, in words. */
  public String expected() {
    return type.expected();
  }

  /** The default as it would be written in a file, without quotes, or null if there is none. */
  public @Nullable String defaultText() {
    return defaultValue == null ? null : type.renderer().apply(defaultValue);
  }

  @Nullable T defaultValue() {
    return defaultValue;
  }

  /** Throws {@link IllegalArgumentException} with what was expected. */
  T parse(String text) {
    return type.parse(text);
  }

  boolean accepts(T value) {
    return type.accepted().test(value);
  }

  /** A text that somebody gave for this key, safe to show. */
  String shown(String text) {
    return text.isBlank() ? "an empty text" : type.mask().apply(text);
  }

  /** A value as TOML, safe to show. */
  String toml(T value) {
    return type.toml(value);
  }

  @Override
  public String toString() {
    return name;
  }
}
