package dev.kagzi.engine.interleaving;

import java.util.concurrent.Callable;

/**
 * Two operations that want the same thing.
 *
 * @param name who against whom
 * @param scene makes fresh rows for them
 */
record Race(String name, Scene scene) {

  /** Prepares a race. */
  @FunctionalInterface
  interface Scene {
    Play prepare(Director director, Actor first, Actor second);
  }

  /** Says whether what is in the database agrees with what both were told. */
  @FunctionalInterface
  interface Verdict {
    void judge(Answer first, Answer second);
  }

  /** What the two do, and what must be true after it. */
  record Play(Callable<?> first, Callable<?> second, Verdict verdict) {}

  @Override
  public String toString() {
    return name;
  }
}
