package dev.kagzi.engine.domain;

/** How an attempt at a step ended. */
public enum StepStatus {
  /** With an output. */
  COMPLETED,
  /** With an error; settled only if it will not be tried again. */
  FAILED,
  /** Given up together with what it was part of. */
  CANCELLED,
  /** Its worker was lost; takes a number, costs no budget. */
  INTERRUPTED
}
