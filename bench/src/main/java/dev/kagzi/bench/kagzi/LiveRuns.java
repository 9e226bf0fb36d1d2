package dev.kagzi.bench.kagzi;

/** Counts runs that have not ended. */
@FunctionalInterface
interface LiveRuns extends AutoCloseable {
  /** How many there are; where there are very many, some of them. */
  long count() throws Exception;

  @Override
  default void close() {}
}
