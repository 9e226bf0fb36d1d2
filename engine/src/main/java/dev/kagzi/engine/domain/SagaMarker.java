package dev.kagzi.engine.domain;

/** Whether a step opens or closes a saga. */
public enum SagaMarker {
  /** It has nothing to do with one. */
  NONE(0),
  /** From here on the run must be stopped in good order. */
  OPEN(1),
  /** What was done is done, or undone. */
  CLOSE(-1);

  private final int change;

  SagaMarker(int change) {
    this.change = change;
  }

  /** By how much the number of open sagas changes. */
  public int change() {
    return change;
  }
}
