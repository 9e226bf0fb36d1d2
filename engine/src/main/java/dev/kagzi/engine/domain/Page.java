package dev.kagzi.engine.domain;

import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * A part of a list that is sorted by id, newest first.
 *
 * @param older where the list goes on, if it does
 * @param newer where it goes back to, if it does
 */
public record Page<T>(List<T> items, Optional<Position> older, Optional<Position> newer) {

  /** A place between two items: everything beyond the id, in a direction. */
  public record Position(Direction direction, RunId beyond) {

    /** Before the newest of all. */
    public static final Position NEWEST =
        new Position(Direction.OLDER, new RunId(new UUID(-1L, -1L)));
  }

  /** Where a page lies, seen from its position. */
  public enum Direction {
    OLDER,
    NEWER
  }

  public Page {
    items = List.copyOf(items);
  }
}
