package dev.kagzi.engine.operation;

import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.Namespace;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.store.NamespaceStore;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;

/** Which namespaces exist and take work. */
public final class Namespaces {

  /** The namespace that exists from the start, and that an empty name means. */
  public static final String DEFAULT = "default";

  /**
   * How long a namespace is believed to be as it was last seen: the time in which another server's
   * change takes effect here, for one query in that time.
   */
  static final Duration BELIEF = Duration.ofSeconds(1);

  private final Database database;
  private final InstantSource clock;
  private final NamespaceStore store = new NamespaceStore();
  private final Remembered<String, Boolean> enabled;

  public Namespaces(Database database, InstantSource clock) {
    this.database = database;
    this.clock = clock;
    this.enabled = new Remembered<>(BELIEF, clock, this::look);
  }

  /** Makes sure that the default namespace is there. */
  public void createDefault() {
    database.inTransaction(tx -> {
      var settings = new Namespace.Settings("", null, Map.of());
      return store.insertIfMissing(tx, DEFAULT, settings, clock.instant());
    });
  }

  /**
   * Accepts a namespace that exists.
   *
   * @throws EngineException if it does not
   */
  public void requireKnown(String namespace) {
    enabled.get(namespace);
  }

  /**
   * Accepts a namespace that exists and takes new work.
   *
   * @throws EngineException if it does not
   */
  public void requireEnabled(String namespace) {
    if (!enabled.get(namespace)) {
      throw new EngineException(
          ErrorCode.NAMESPACE_DISABLED,
          "namespace '%s' is disabled and takes no new work (expected: an enabled one; enable it)"
              .formatted(namespace));
    }
  }

  /** It was changed here. */
  void forget(String namespace) {
    enabled.forget(namespace);
  }

  private boolean look(String namespace) {
    return database
        .inTransaction(tx -> store.isEnabled(tx, namespace))
        .orElseThrow(() -> unknown(namespace));
  }

  static EngineException unknown(String namespace) {
    return new EngineException(
        ErrorCode.NAMESPACE_NOT_FOUND,
        "namespace '%s' does not exist; create it first".formatted(namespace));
  }
}
