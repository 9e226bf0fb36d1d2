package dev.kagzi.sdk.replay;

import java.util.Optional;

/**
 * The first thing in which code and history differ. Immutable.
 *
 * @param kind in what way
 * @param step the key of the step that it is about, if it is about one
 * @param message both sides in words
 */
public record Divergence(Kind kind, Optional<String> step, String message) {

  /** In what way code and history differ. */
  public enum Kind {
    /** A step is recorded as one thing, such as a sleep, and asked for as another. */
    OTHER_KIND,
    /** A settled step is recorded that the code never asks for. */
    NOT_ASKED,
    /** The code asks for a step that is not recorded, although the run went on without it. */
    NOT_RECORDED,
    /** A recorded result cannot be read as the type that the code asks for. */
    UNREADABLE,
    /** The code ends with another result, or fails in another way. */
    OTHER_OUTCOME
  }
}
