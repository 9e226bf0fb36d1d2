package dev.kagzi.engine.domain;

import java.util.List;

/** What became of sending an ended run back to work. */
public sealed interface RetryOutcome {

  /**
   * The run is live again; also the answer to the repetition.
   *
   * @param supersededSteps the steps that will be executed again, in call order
   */
  record Retried(List<String> supersededSteps) implements RetryOutcome {
    public Retried {
      supersededSteps = List.copyOf(supersededSteps);
    }
  }

  /** The run was live; nothing was changed. */
  record AlreadyActive() implements RetryOutcome {}

  /** The run is not one that can go on, or not now. */
  record Refused(EngineException refusal) implements RetryOutcome {}
}
