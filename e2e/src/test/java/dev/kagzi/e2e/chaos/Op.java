package dev.kagzi.e2e.chaos;

/** One operation of a {@link Program}; its name is unique in the program. */
sealed interface Op {

  /** A step that takes so long; above 50 ms it is announced to the server. */
  record Work(String name, int millis) implements Op {}

  /** A step that fails so often and then succeeds; a patient one gives its worker back between. */
  record Flaky(String name, int failures, boolean patient) implements Op {}

  /** A step that fails for good after so many attempts, which the workflow catches or not. */
  record Doomed(String name, int attempts, boolean caught) implements Op {}

  /** A step that may be executed at most once. */
  record Once(String name, int millis) implements Op {}

  /** A sleep. */
  record Nap(String name, int millis) implements Op {}

  /** A step with a large result. */
  record Big(String name, int bytes) implements Op {}

  /** The same step again and again, told apart by numbers. */
  record Loop(String name, int times) implements Op {}

  /** Steps beside each other and a timer, all waited for. */
  record All(String name, int branches, int pauseMillis) implements Op {}

  /** Steps beside each other of which one fails, all waited for. */
  record Settle(String name, int branches) implements Op {}

  /** A step against a timer of an hour. */
  record Race(String name) implements Op {}

  /** A timer of an hour that is taken along by a step that fails. */
  record FailFast(String name) implements Op {}

  /** A wait for an event that the client sends, with the start or later. */
  record Await(String name, boolean early, int afterMillis) implements Op {}

  /** A run of its own, whose failure the workflow catches or not. */
  record Child(String name, long seed, boolean caught) implements Op {}

  /** Steps that are undone if the body fails, which the workflow catches or not. */
  record Undo(String name, int steps, int millis, boolean fails, boolean caught) implements Op {}

  /** The end of the run by an exception outside of steps. */
  record Throw(String name) implements Op {}

  /** The end of the run and the start of its successor. */
  record Continue(String name) implements Op {}

  String name();
}
