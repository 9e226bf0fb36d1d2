package dev.kagzi.engine.domain;

import java.util.UUID;

/** Identifies a batch; a UUID of version 7, so that ids sort by the time of the start. */
public record BatchId(UUID value) {

  /**
   * Reads the text form.
   *
   * @throws EngineException with {@link ErrorCode#INVALID_ARGUMENT} if it is not a UUID
   */
  public static BatchId parse(String text) {
    return new BatchId(Ids.parse("batch_id", text));
  }

  @Override
  public String toString() {
    return value.toString();
  }
}
