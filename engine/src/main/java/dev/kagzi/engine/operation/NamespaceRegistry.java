package dev.kagzi.engine.operation;

import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.Namespace;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.store.NamespaceStore;
import java.time.InstantSource;
import java.util.List;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tenants as people arrange them. Thread-safe. */
public final class NamespaceRegistry {

  private static final Logger log = LoggerFactory.getLogger(NamespaceRegistry.class);

  private final Database database;
  private final InstantSource clock;
  private final Namespaces namespaces;
  private final PageTokens tokens;
  private final NamespaceStore store = new NamespaceStore();

  public NamespaceRegistry(Database database, InstantSource clock, Namespaces namespaces) {
    this.database = database;
    this.clock = clock;
    this.namespaces = namespaces;
    this.tokens = PageTokens.shared(database, clock);
  }

  /** A namespace, and whether it was there before. */
  public record Created(Namespace namespace, boolean existed) {}

  /**
   * Creates a namespace. Repeating it with the same settings is harmless.
   *
   * @throws EngineException if there is one with other settings
   */
  public Created create(String name, Namespace.Settings settings) {
    Created created =
        database.inTransaction(tx -> {
          boolean isNew = store.insertIfMissing(tx, name, settings, clock.instant());
          return new Created(
              store.find(tx, name).orElseThrow(() -> Namespaces.unknown(name)), !isNew);
        });
    if (created.existed() && !created.namespace().settings().equals(settings)) {
      throw new EngineException(
          ErrorCode.NAMESPACE_EXISTS,
          "namespace '%s' exists with other settings (expected: a new name; or update it)"
              .formatted(name));
    }
    namespaces.forget(name);
    if (!created.existed()) {
      log.info("namespace '{}' created", name);
    }
    return created;
  }

  /**
   * Reads a namespace.
   *
   * @throws EngineException if there is none
   */
  public Namespace get(String name) {
    return database
        .inTransaction(tx -> store.find(tx, name))
        .orElseThrow(() -> Namespaces.unknown(name));
  }

  /** Namespaces in the order of their names. */
  public record Listed(
      List<Namespace> namespaces, String nextPageToken, String prevPageToken, boolean hasMore) {}

  /**
   * One page of namespaces.
   *
   * @param token of the page before or after; empty means the first page
   */
  public Listed list(int size, String token) {
    var pages = new NamePages(tokens, "", "namespaces");
    NamePages.From from = pages.read(token);
    List<Namespace> found =
        database.inTransaction(tx -> store.list(tx, from.forward(), from.name(), size + 1));
    NamePages.Cut<Namespace> page = pages.cut(found, from, size, Namespace::name);
    return new Listed(page.items(), page.nextPageToken(), page.prevPageToken(), page.hasMore());
  }

  public RunLists.Count count() {
    int limit = RunLists.EXACT_COUNT;
    int found = database.inTransaction(tx -> store.count(tx, limit + 1));
    return new RunLists.Count(Math.min(found, limit), found > limit);
  }

  /**
   * Changes the settings of a namespace.
   *
   * @throws EngineException if there is none
   */
  public Namespace update(String name, UnaryOperator<Namespace.Settings> change) {
    return database.inTransaction(tx -> {
      Namespace before = store.lock(tx, name).orElseThrow(() -> Namespaces.unknown(name));
      Namespace.Settings after = change.apply(before.settings());
      if (after.equals(before.settings())) {
        return before;
      }
      store.update(tx, name, after, clock.instant());
      return store.find(tx, name).orElseThrow();
    });
  }

  /** Lets a namespace start and claim runs again. Repeating it is harmless. */
  public Namespace enable(String name, String reason) {
    return setEnabled(name, true, reason);
  }

  /**
   * Lets a namespace start and claim nothing more: claims end at once everywhere, starts at once
   * here and within {@link Namespaces#BELIEF} at other servers. What is claimed may finish.
   * Repeating it is harmless; the first reason stays.
   */
  public Namespace disable(String name, String reason) {
    if (name.equals(Namespaces.DEFAULT)) {
      throw new EngineException(
          ErrorCode.INVALID_ARGUMENT,
          "namespace: '%s' cannot be disabled (expected: another one)".formatted(name));
    }
    return setEnabled(name, false, reason);
  }

  private Namespace setEnabled(String name, boolean enabled, String reason) {
    Namespace namespace =
        database.inTransaction(tx -> {
          Namespace before = store.lock(tx, name).orElseThrow(() -> Namespaces.unknown(name));
          if (before.enabled() == enabled) {
            return before;
          }
          store.setEnabled(tx, name, enabled, enabled ? "" : reason, clock.instant());
          log.info("namespace '{}' is {} ({})", name, enabled ? "enabled" : "disabled", reason);
          return store.find(tx, name).orElseThrow();
        });
    namespaces.forget(name);
    return namespace;
  }
}
