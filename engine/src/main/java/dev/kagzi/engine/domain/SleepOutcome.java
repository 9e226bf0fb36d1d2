package dev.kagzi.engine.domain;

import java.time.Instant;

/** What became of a sleep. */
public sealed interface SleepOutcome {

  /** The wake-up time that counts: the first one recorded. */
  Instant wakeAt();

  /** The run sleeps and its worker is released. */
  record Released(Instant wakeAt) implements SleepOutcome {}

  /** The time has come already and the step is settled; the worker goes on. */
  record Over(Instant wakeAt) implements SleepOutcome {}
}
