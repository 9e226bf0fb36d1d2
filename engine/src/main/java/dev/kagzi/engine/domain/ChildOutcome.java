package dev.kagzi.engine.domain;

/** What became of the wish to start children. */
public sealed interface ChildOutcome {

  /**
   * The child is there.
   *
   * @param before an earlier call has started it
   */
  record Started(RunId child, boolean before) implements ChildOutcome {}

  /**
   * The items of a fan-out are there.
   *
   * @param before the step had been asked for by an earlier call
   */
  record Listed(int itemCount, boolean before) implements ChildOutcome {}

  /** The step is settled, and this is its outcome. */
  record Settled(RecordedStep step) implements ChildOutcome {}
}
