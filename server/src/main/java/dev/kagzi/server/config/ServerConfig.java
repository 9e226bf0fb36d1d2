package dev.kagzi.server.config;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Everything that can be set on a server, checked, with the origin of each value. Immutable and
 * thread-safe.
 */
public final class ServerConfig {
  private final Settings settings;
  private final DatabaseConfig database;
  private final List<String> warnings;

  private ServerConfig(Settings settings, @Nullable String password) {
    this.settings = settings;
    this.database = DatabaseConfig.from(settings, password);
    this.warnings = List.copyOf(ConfigRules.warnings(settings));
  }

  /**
   * Reads the configuration from where a command looks for it.
   *
   * @throws ConfigException with all faults
   */
  public static ServerConfig load(ConfigSources sources) {
    var reader = new ConfigReader(sources);
    var settings = reader.read();
    return checked(settings, reader.faults());
  }

  /** The defaults; reads no flag, variable or file. */
  public static ServerConfig defaults() {
    return builder().build();
  }

  /** Starts from the defaults; reads no flag, variable or file. */
  public static Builder builder() {
    return new Builder(Settings.ofDefaults());
  }

  /** Starts from these values and their origins. */
  public Builder toBuilder() {
    return new Builder(settings.copy());
  }

  private static ServerConfig checked(Settings settings, List<Fault> found) {
    var faults = new ArrayList<>(found);
    faults.addAll(ConfigRules.faults(settings));
    var password = PasswordFile.password(settings, faults);
    if (!faults.isEmpty()) {
      throw new ConfigException(faults);
    }
    return new ServerConfig(settings, password);
  }

  public DatabaseConfig database() {
    return database;
  }

  public ListenConfig listen() {
    return ListenConfig.from(settings);
  }

  public LogConfig log() {
    return LogConfig.from(settings);
  }

  public CoordinatorConfig coordinator() {
    return CoordinatorConfig.from(settings);
  }

  public LeaseConfig lease() {
    return LeaseConfig.from(settings);
  }

  public WorkerHealthConfig health() {
    return WorkerHealthConfig.from(settings);
  }

  public NodeConfig node() {
    return NodeConfig.from(settings);
  }

  public PollConfig poll() {
    return PollConfig.from(settings);
  }

  public CommitConfig commit() {
    return CommitConfig.from(settings);
  }

  public StepConfig step() {
    return StepConfig.from(settings);
  }

  public RetentionConfig retention() {
    return RetentionConfig.from(settings);
  }

  public Duration shutdownTimeout() {
    return settings.get(ConfigKeys.SHUTDOWN_TIMEOUT);
  }

  /** Where the value of a key came from. */
  public Origin origin(ConfigKey<?> key) {
    return settings.origin(key);
  }

  /** What works and is probably not meant, one sentence each, to be logged at start. */
  public List<String> warnings() {
    return warnings;
  }

  /**
   * Every key with its value and origin, secrets masked: lines that are themselves a {@code
   * kagzi.toml}.
   */
  public String print() {
    return ConfigKeys.all().stream().map(this::line).collect(Collectors.joining("\n", "", "\n"));
  }

  private String line(ConfigKey<?> key) {
    var value = settings.toml(key);
    return value == null
        ? "# " + key + " is not set"
        : "%-46s # %s".formatted(key + " = " + value, settings.origin(key));
  }

  /** Sets values from a program. Not thread-safe. */
  public static final class Builder {
    private final Settings settings;
    private final Map<ConfigKey<?>, Fault> faults = new LinkedHashMap<>();

    private Builder(Settings settings) {
      this.settings = settings;
    }

    /** Sets a value; a wrong one is reported by {@link #build()}, together with all others. */
    public <T> Builder set(ConfigKey<T> key, T value) {
      faults.remove(key);
      settings.put(key, value, Origin.CODE);
      if (!key.accepts(value)) {
        settings.refuse(key);
        faults.put(key, Fault.wrongValue(key.name(), key.toml(value), Origin.CODE, key.expected()));
      }
      return this;
    }

    /**
     * The checked configuration.
     *
     * @throws ConfigException with all faults
     */
    public ServerConfig build() {
      return checked(settings.copy(), List.copyOf(faults.values()));
    }
  }
}
