package dev.kagzi.server.metrics;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;

/**
 * One meter for each combination of labels, up to a limit; all that come later share another. Names
 * come from callers, who must not be able to fill the memory with them. Thread-safe.
 */
final class Capped<K, M> {

  private final ConcurrentMap<K, M> meters = new ConcurrentHashMap<>();
  private final int limit;
  private final K other;
  private final Function<K, M> maker;
  private volatile boolean full;

  /**
   * @param other the labels of those that come too late
   * @param maker makes the meter of a combination; called once for each
   */
  Capped(int limit, K other, Function<K, M> maker) {
    this.limit = limit;
    this.other = other;
    this.maker = maker;
  }

  M of(K key) {
    M known = meters.get(key);
    return known == null ? meters.computeIfAbsent(admit(key), maker) : known;
  }

  /** Two that meet here may both be let in; a few too many do no harm. */
  private K admit(K key) {
    full = full || meters.size() >= limit;
    return full ? other : key;
  }
}
