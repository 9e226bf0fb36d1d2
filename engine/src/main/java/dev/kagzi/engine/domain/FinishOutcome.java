package dev.kagzi.engine.domain;

import java.time.Instant;
import java.util.List;

/** What became of the end of a run that a worker reported. */
public sealed interface FinishOutcome {

  /**
   * The run has ended; also the answer to a repetition.
   *
   * @param handlers the failure handlers that were started by this
   */
  record Ended(RunStatus status, List<RunId> handlers) implements FinishOutcome {
    public Ended {
      handlers = List.copyOf(handlers);
    }
  }

  /** The run has ended and goes on as another; also the answer to a repetition. */
  record Continued(RunId successor) implements FinishOutcome {}

  /** The run-level policy allows another attempt. */
  record Retry(Instant at) implements FinishOutcome {}
}
