package dev.kagzi.engine.domain;

import dev.kagzi.core.Payload;
import org.jspecify.annotations.Nullable;

/**
 * What a run was given and what it brought: how large they are, and themselves if they were asked
 * for. A run without an output has one of 0 bytes.
 */
public record RunPayloads(
    int inputBytes, int outputBytes, @Nullable Payload input, @Nullable Payload output) {

  public static final RunPayloads NONE = new RunPayloads(0, 0, null, null);

  /** What is known of an ended run without looking for more: its output. */
  public static RunPayloads ofEnd(Run run) {
    Run.Ending ending = run.ending();
    Payload output = ending == null ? null : ending.output();
    return output == null ? NONE : new RunPayloads(0, output.size(), null, output);
  }

  public int bytes() {
    return inputBytes + outputBytes;
  }
}
