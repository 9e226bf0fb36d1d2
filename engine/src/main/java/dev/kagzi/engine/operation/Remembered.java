package dev.kagzi.engine.operation;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;

/**
 * What was seen in the database lately, so that a frequent question costs no query. However many
 * ask for something that is not remembered, one of them looks and the others wait for it. Failures
 * are not remembered. Thread-safe.
 */
final class Remembered<K, V> {

  /** Beyond this everything is forgotten and looked up again: a limit, not a policy. */
  private static final int LIMIT = 100_000;

  private record Seen<V>(V value, Instant at) {}

  private final Duration memory;
  private final InstantSource clock;
  private final Function<K, V> look;
  private final ConcurrentMap<K, Seen<V>> seen = new ConcurrentHashMap<>();
  private final ConcurrentMap<K, CompletableFuture<V>> looking = new ConcurrentHashMap<>();

  Remembered(Duration memory, InstantSource clock, Function<K, V> look) {
    this.memory = memory;
    this.clock = clock;
    this.look = look;
  }

  V get(K key) {
    Seen<V> known = seen.get(key);
    if (known != null && clock.instant().isBefore(known.at().plus(memory))) {
      return known.value();
    }
    CompletableFuture<V> mine = new CompletableFuture<>();
    CompletableFuture<V> others = looking.putIfAbsent(key, mine);
    return others == null ? lookAndTell(key, mine) : await(others);
  }

  private V lookAndTell(K key, CompletableFuture<V> waiting) {
    try {
      V value = look.apply(key);
      put(key, value);
      waiting.complete(value);
      return value;
    } catch (RuntimeException | Error failure) {
      waiting.completeExceptionally(failure);
      throw failure;
    } finally {
      looking.remove(key, waiting);
    }
  }

  private static <V> V await(CompletableFuture<V> others) {
    try {
      return others.join();
    } catch (CompletionException failure) {
      if (failure.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw failure;
    }
  }

  void put(K key, V value) {
    if (seen.size() > LIMIT) {
      seen.clear();
    }
    seen.put(key, new Seen<>(value, clock.instant()));
  }

  void forget(K key) {
    seen.remove(key);
  }
}
