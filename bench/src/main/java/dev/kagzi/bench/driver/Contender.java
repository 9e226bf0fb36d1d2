package dev.kagzi.bench.driver;

import java.util.Set;

/**
 * A system that executes durable workflows, as the load sees it. Every step returns {@value
 * #RESULT_BYTES} bytes and does nothing else. Methods are called from many threads at once, but for
 * {@link #awaitAll}, {@link #replay} and the two fan-outs.
 */
public interface Contender extends AutoCloseable {
  /** How much every step returns. */
  int RESULT_BYTES = 100;

  /** What every step returns. */
  String RESULT = "r".repeat(RESULT_BYTES);

  /** What it can do beside {@link #start}. */
  Set<Ability> abilities();

  /** Starts a workflow of so many steps, one after another; returns when it is accepted. */
  void start(int steps) throws Exception;

  /** How many workflows one call of {@link #start} starts; more than one only where they batch. */
  default int runsPerStart() {
    return 1;
  }

  /** Waits until everything started by {@link #start} has completed. */
  void awaitAll() throws Exception;

  /** Starts a workflow of so many steps and waits for its result. */
  default void startAndAwait(int steps) throws Exception {
    throw new UnsupportedOperationException("start and await");
  }

  /**
   * Records a workflow of so many steps and lets it go on later, several times.
   *
   * @return for each time, the milliseconds from when the workflow was handed to the code that
   *     executes it to its first step that had not been recorded
   */
  default double[] replay(int steps, int times) throws Exception {
    throw new UnsupportedOperationException("replay");
  }

  /** Executes one workflow with so many steps beside each other. */
  default void fanOutSteps(int steps) throws Exception {
    throw new UnsupportedOperationException("parallel steps");
  }

  /** Executes one workflow that starts so many others, without steps, and waits for them all. */
  default void fanOutChildren(int children) throws Exception {
    throw new UnsupportedOperationException("children");
  }

  /** Gets ready for rounds that count, for contenders that have something to choose. */
  default void prepare() throws Exception {}

  /** Lets go of everything it holds. */
  @Override
  void close();
}
