package dev.kagzi.engine.operation;

import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import dev.kagzi.engine.domain.ListedType;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.store.StatsStore;
import dev.kagzi.engine.store.TypeStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Workflow types and the versions that new runs are pinned to. Thread-safe. */
public final class WorkflowTypes {

  private static final Logger log = LoggerFactory.getLogger(WorkflowTypes.class);

  /** What counts as lately. */
  private static final Duration RECENT = Duration.ofHours(1);

  private final Database database;
  private final InstantSource clock;
  private final Namespaces namespaces;
  private final PageTokens tokens;
  private final TypeStore store = new TypeStore();
  private final StatsStore stats = new StatsStore();

  public WorkflowTypes(Database database, InstantSource clock, Namespaces namespaces) {
    this.database = database;
    this.clock = clock;
    this.namespaces = namespaces;
    this.tokens = PageTokens.shared(database, clock);
  }

  /** What a change of the default led to. */
  public record Changed(ListedType type, String previousVersion) {}

  /**
   * Makes a version the one that new runs are pinned to; runs that exist stay on theirs. Repeating
   * it is harmless.
   *
   * @param expected the default as the caller saw it, or null if that does not matter
   * @throws EngineException if nobody has registered the type, or its default is another one
   */
  public Changed setDefaultVersion(
      String namespace, String type, String version, @Nullable String expected) {
    namespaces.requireKnown(namespace);
    Changed changed =
        database.inTransaction(tx -> {
          String previous =
              store.lockDefault(tx, namespace, type).orElseThrow(() -> unknown(namespace, type));
          if (!previous.equals(version)) {
            if (expected != null && !previous.equals(expected)) {
              throw new EngineException(
                  ErrorCode.DEFAULT_VERSION_CHANGED,
                  "the default version of '%s' is '%s' (expected: '%s'; look again)"
                      .formatted(type, previous, expected));
            }
            store.setDefault(tx, namespace, type, version, clock.instant());
            log.info("new runs of '{}' get version '{}' instead of '{}'", type, version, previous);
          }
          return new Changed(store.list(tx, namespace, type, true, "", 1).get(0), previous);
        });
    // Counted when the type is no longer locked.
    return new Changed(
        withRecent(List.of(changed.type()), namespace, type).get(0), changed.previousVersion());
  }

  private List<ListedType> withRecent(
      List<ListedType> types, String namespace, @Nullable String type) {
    Instant now = clock.instant();
    var choice = new StatsStore.Choice(namespace, type, null, now.minus(RECENT), now);
    Map<String, ListedType.Recent> recent = database.inTransaction(tx -> stats.byType(tx, choice));
    return types.stream()
        .map(one -> one.with(recent.getOrDefault(one.workflowType(), ListedType.Recent.NONE)))
        .toList();
  }

  private static EngineException unknown(String namespace, String type) {
    return new EngineException(
        ErrorCode.WORKFLOW_TYPE_NOT_FOUND,
        "no worker has registered '%s' in namespace '%s' (expected: a type that has been registered)"
            .formatted(type, namespace));
  }

  /** Types in the order of their names. */
  public record Listed(
      List<ListedType> types, String nextPageToken, String prevPageToken, boolean hasMore) {}

  /**
   * One page of types.
   *
   * @param type the only one that is wanted, or null
   * @param token of the page before or after; empty means the first page
   */
  public Listed list(String namespace, @Nullable String type, int size, String token) {
    namespaces.requireKnown(namespace);
    var pages = new NamePages(tokens, namespace, "types " + type);
    NamePages.From from = pages.read(token);
    List<ListedType> found =
        database.inTransaction(
            tx -> store.list(tx, namespace, type, from.forward(), from.name(), size + 1));
    NamePages.Cut<ListedType> page = pages.cut(found, from, size, ListedType::workflowType);
    return new Listed(
        withRecent(page.items(), namespace, type),
        page.nextPageToken(),
        page.prevPageToken(),
        page.hasMore());
  }

  /** How many types have been registered. */
  public long count(String namespace) {
    return database.inTransaction(tx -> store.count(tx, namespace));
  }
}
