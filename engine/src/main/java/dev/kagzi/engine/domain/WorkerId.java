package dev.kagzi.engine.domain;

import java.util.UUID;

/** Identifies one start of one worker: a worker that restarts gets another. */
public record WorkerId(UUID value) {

  /**
   * Reads the text form.
   *
   * @throws EngineException with {@link ErrorCode#INVALID_ARGUMENT} if it is not a UUID
   */
  public static WorkerId parse(String text) {
    return new WorkerId(Ids.parse("worker_id", text));
  }

  @Override
  public String toString() {
    return value.toString();
  }
}
