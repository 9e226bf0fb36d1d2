package dev.kagzi.engine.domain;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request the engine refused; the code decides what the caller can do about it. */
public final class EngineException extends RuntimeException {

  private final ErrorCode code;
  private final Map<String, String> details;

  public EngineException(ErrorCode code, String message) {
    this(code, message, Map.of(), null);
  }

  public EngineException(ErrorCode code, String message, Map<String, String> details) {
    this(code, message, details, null);
  }

  public EngineException(ErrorCode code, String message, Throwable cause) {
    this(code, message, Map.of(), cause);
  }

  private EngineException(
      ErrorCode code, String message, Map<String, String> details, @Nullable Throwable cause) {
    // A refusal is an answer and not a defect: its stack trace would tell nobody anything.
    super(message, cause, false, false);
    this.code = code;
    this.details = Map.copyOf(details);
  }

  public ErrorCode code() {
    return code;
  }

  /** Facts a program can act on, such as the server's time. */
  public Map<String, String> details() {
    return details;
  }
}
