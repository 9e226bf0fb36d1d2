package dev.kagzi.engine.operation;

import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.store.NamespaceStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Which namespaces exist and take work. */
public final class Namespaces {

  /** The namespace that exists from the start, and that an empty name means. */
  public static final String DEFAULT = "default";

  /** How long a namespace is believed to be as it was last seen. */
  private static final Duration BELIEF = Duration.ofSeconds(5);

  private record Seen(boolean enabled, Instant at) {}

  private final Database database;
  private final InstantSource clock;
  private final NamespaceStore store = new NamespaceStore();
  private final ConcurrentMap<String, Seen> seen = new ConcurrentHashMap<>();

  public Namespaces(Database database, InstantSource clock) {
    this.database = database;
    this.clock = clock;
  }

  /** Makes sure that the default namespace is there. */
  public void createDefault() {
    database.inTransaction(tx -> {
      store.insertIfMissing(tx, DEFAULT, clock.instant());
      return true;
    });
  }

  /**
   * Accepts a namespace that exists.
   *
   * @throws EngineException if it does not
   */
  public void requireKnown(String namespace) {
    look(namespace);
  }

  /**
   * Accepts a namespace that exists and takes new work.
   *
   * @throws EngineException if it does not
   */
  public void requireEnabled(String namespace) {
    if (!look(namespace).enabled()) {
      throw new EngineException(
          ErrorCode.NAMESPACE_DISABLED, "namespace '%s' is disabled".formatted(namespace));
    }
  }

  private Seen look(String namespace) {
    Instant now = clock.instant();
    Seen known = seen.get(namespace);
    if (known != null && now.isBefore(known.at().plus(BELIEF))) {
      return known;
    }
    Optional<Boolean> enabled = database.inTransaction(tx -> store.isEnabled(tx, namespace));
    Seen fresh =
        new Seen(
            enabled.orElseThrow(() ->
                new EngineException(
                    ErrorCode.NAMESPACE_NOT_FOUND,
                    "namespace '%s' does not exist; create it first".formatted(namespace))),
            now);
    seen.put(namespace, fresh);
    return fresh;
  }
}
