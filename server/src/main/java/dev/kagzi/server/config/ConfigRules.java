package dev.kagzi.server.config;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiPredicate;

/** What values must satisfy together. A rule keeps silent about a key without a value. Pure. */
final class ConfigRules {
  private static final int BEATS_PER_LIFE = 3;
  private static final int BEATS_BEFORE_STALE = 2;

  /** One for starts, and one for everything that is not a group commit. */
  private static final int SPARE_CONNECTIONS = 2;

  private static final Duration USUAL_PROXY_TIMEOUT = Duration.ofSeconds(60);

  private final Settings settings;
  private final List<Fault> faults = new ArrayList<>();

  private ConfigRules(Settings settings) {
    this.settings = settings;
  }

  /** Everything that cannot work together. */
  static List<Fault> faults(Settings settings) {
    var rules = new ConfigRules(settings);
    rules.checkDatabase();
    rules.checkBeats();
    rules.checkSizes();
    return rules.faults;
  }

  private void checkDatabase() {
    if (!settings.isAbsent(ConfigKeys.DATABASE_URL)) {
      return;
    }
    for (var key :
        List.of(
            ConfigKeys.DATABASE_DIRECT_URL,
            ConfigKeys.DATABASE_USER,
            ConfigKeys.DATABASE_PASSWORD,
            ConfigKeys.DATABASE_PASSWORD_FILE)) {
      if (settings.toml(key) != null) {
        fault(key, ConfigKeys.DATABASE_URL + " to be set too");
      }
    }
  }

  private void checkBeats() {
    check(
        ConfigKeys.WORKER_HEARTBEAT_INTERVAL,
        "at most a third of",
        ConfigKeys.WORKER_VISIBILITY_TIMEOUT,
        (beat, lease) -> beat.multipliedBy(BEATS_PER_LIFE).compareTo(lease) <= 0);
    check(
        ConfigKeys.COORDINATOR_WORKER_STALE_THRESHOLD,
        "at least twice",
        ConfigKeys.WORKER_HEARTBEAT_INTERVAL,
        (silence, beat) -> beat.multipliedBy(BEATS_BEFORE_STALE).compareTo(silence) <= 0);
    check(
        ConfigKeys.WORKER_HEALTH_WARNING,
        "less than",
        ConfigKeys.WORKER_HEALTH_TIMEOUT,
        (warning, timeout) -> warning.compareTo(timeout) < 0);
    check(
        ConfigKeys.NODE_BEAT_INTERVAL,
        "at most a third of",
        ConfigKeys.NODE_DEAD_AFTER,
        (beat, silence) -> beat.multipliedBy(BEATS_PER_LIFE).compareTo(silence) <= 0);
    check(
        ConfigKeys.POLL_FALLBACK_INTERVAL,
        "at most",
        ConfigKeys.POLL_TIMEOUT,
        (fallback, poll) -> fallback.compareTo(poll) <= 0);
  }

  private void checkSizes() {
    check(
        ConfigKeys.HTTP_PORT,
        "another port than",
        ConfigKeys.GRPC_PORT,
        (http, grpc) -> http == 0 || !http.equals(grpc));
    check(
        ConfigKeys.COORDINATOR_BATCH_SIZE,
        "at most",
        ConfigKeys.COORDINATOR_MAX_WORKFLOWS_PER_TICK,
        (batch, tick) -> batch <= tick);
    check(
        ConfigKeys.RETRY_INITIAL_INTERVAL,
        "at most",
        ConfigKeys.RETRY_MAXIMUM_INTERVAL,
        (first, longest) -> first.compareTo(longest) <= 0);
    check(
        ConfigKeys.DATABASE_POOL_SIZE,
        "at least " + SPARE_CONNECTIONS + " more than",
        ConfigKeys.COMMIT_LANES,
        (pool, lanes) -> pool >= lanes + SPARE_CONNECTIONS);
  }

  private <T> void check(
      ConfigKey<T> key, String relation, ConfigKey<T> other, BiPredicate<T, T> fits) {
    var value = settings.find(key);
    var otherValue = settings.find(other);
    if (value != null && otherValue != null && !fits.test(value, otherValue)) {
      fault(key, "%s %s, which is %s".formatted(relation, other, described(other)));
    }
  }

  private void fault(ConfigKey<?> key, String expected) {
    faults.add(new Fault(key.name(), described(key) + " (expected: " + expected + ")"));
  }

  private String described(ConfigKey<?> key) {
    return settings.toml(key) + " from " + settings.origin(key);
  }

  /** What works and is probably not meant. */
  static List<String> warnings(Settings settings) {
    var rules = new ConfigRules(settings);
    var warnings = new ArrayList<String>();
    if (!ListenConfig.isLoopback(settings.get(ConfigKeys.BIND_ADDRESS))) {
      warnings.add(
          rules.warning(
              ConfigKeys.BIND_ADDRESS,
              "open to the network without authentication: whoever can connect can read, start and"
                  + " cancel every run"));
    }
    if (settings.get(ConfigKeys.POLL_TIMEOUT).compareTo(USUAL_PROXY_TIMEOUT) >= 0) {
      warnings.add(
          rules.warning(
              ConfigKeys.POLL_TIMEOUT, "load balancers often cut calls that are silent for 60 s"));
    }
    Duration beat = settings.get(ConfigKeys.WORKER_HEARTBEAT_INTERVAL);
    if (settings.get(ConfigKeys.WORKER_HEALTH_WARNING).compareTo(beat) <= 0) {
      warnings.add(
          rules.warning(
              ConfigKeys.WORKER_HEALTH_WARNING,
              "workers that are well will be shown as degraded between two heartbeats; "
                  + ConfigKeys.WORKER_HEARTBEAT_INTERVAL
                  + " is "
                  + rules.described(ConfigKeys.WORKER_HEARTBEAT_INTERVAL)));
    }
    if (settings.origin(ConfigKeys.DATABASE_PASSWORD).kind() == Origin.Kind.FLAG) {
      warnings.add(
          rules.warning(
              ConfigKeys.DATABASE_PASSWORD,
              "every user of this machine can see it in the list of processes; use "
                  + ConfigKeys.DATABASE_PASSWORD_FILE.environmentName()));
    }
    return warnings;
  }

  private String warning(ConfigKey<?> key, String text) {
    return "%s: %s: %s".formatted(key, described(key), text);
  }
}
