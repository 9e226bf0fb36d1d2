package dev.kagzi.cli.demo;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Something that happened, with the {@link System#nanoTime} at which we learned of it. */
sealed interface Event {

  long nanos();

  /** A worker told something. */
  record Told(long nanos, long pid, Signal signal) implements Event {}

  /** A worker process is gone. */
  record WorkerEnded(long nanos, long pid) implements Event {}

  /** The server shows the run in another state than before. */
  record RunChanged(long nanos, RunState state) implements Event {}

  /** The server no longer answers. */
  record ServerSilent(long nanos, String reason) implements Event {}

  /**
   * What the server says about the run.
   *
   * @param crashes how often it was taken back from a worker that went silent
   * @param wakesAt when it can be claimed, if it sleeps
   */
  record RunState(Status status, int crashes, @Nullable Instant wakesAt) {}

  /** How far a run is, as the demonstration sees it. */
  enum Status {
    READY,
    RUNNING,
    SLEEPING,
    COMPLETED,
    /** Any end without a result. */
    FAILED
  }
}
