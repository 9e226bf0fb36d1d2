package dev.kagzi.engine.domain;

import java.util.List;
import java.util.Optional;

/**
 * A part of a run's history, in call order.
 *
 * @param next where it goes on, if it does
 */
public record HistoryPage(List<RecordedStep> steps, Optional<Position> next) {

  public static final HistoryPage EMPTY = new HistoryPage(List.of(), Optional.empty());

  /** Everything after this step. */
  public record Position(int seq, String stepKey) {

    public static final Position START = new Position(Integer.MIN_VALUE, "");

    /** The position in the form in which a worker hands it back. */
    public String token() {
      return seq + ":" + stepKey;
    }

    /**
     * Reads a token; an empty one means the start.
     *
     * @throws EngineException if it is not one
     */
    public static Position parse(String token) {
      if (token.isEmpty()) {
        return START;
      }
      int colon = token.indexOf(':');
      try {
        return new Position(
            Integer.parseInt(token.substring(0, Math.max(0, colon))), token.substring(colon + 1));
      } catch (NumberFormatException malformed) {
        throw new EngineException(
            ErrorCode.INVALID_ARGUMENT,
            "page_token: not one of this history (expected: the token of the page before)");
      }
    }
  }

  public HistoryPage {
    steps = List.copyOf(steps);
  }
}
