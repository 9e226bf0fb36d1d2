package dev.kagzi.engine.operation;

import dev.kagzi.engine.domain.Page;
import dev.kagzi.engine.domain.Page.Direction;
import dev.kagzi.engine.domain.Page.Position;
import dev.kagzi.engine.domain.RunId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Cuts pages out of lists that are sorted by id. */
final class Pages {

  private Pages() {}

  /**
   * A page of what was found beyond a position, nearest first.
   *
   * @param found one more than the page holds, if there are more
   */
  static <T> Page<T> cut(List<T> found, Position from, int size, Function<T, RunId> idOf) {
    boolean more = found.size() > size;
    List<T> items = new ArrayList<>(more ? found.subList(0, size) : found);
    Optional<Position> here = Optional.of(from).filter(at -> !at.equals(Position.NEWEST));
    boolean older = from.direction() == Direction.OLDER;
    if (!older) {
      Collections.reverse(items);
    }
    if (items.isEmpty()) {
      Optional<Position> back = here.map(at -> turned(at));
      return older
          ? new Page<>(items, Optional.empty(), back)
          : new Page<>(items, back, Optional.empty());
    }
    Position next = at(Direction.OLDER, idOf.apply(items.get(items.size() - 1)));
    Position back = at(Direction.NEWER, idOf.apply(items.get(0)));
    return new Page<>(
        items,
        older && !more ? Optional.empty() : Optional.of(next),
        older ? here.map(at -> back) : Optional.of(back).filter(at -> more));
  }

  private static Position turned(Position position) {
    Direction other = position.direction() == Direction.OLDER ? Direction.NEWER : Direction.OLDER;
    return new Position(other, position.beyond());
  }

  private static Position at(Direction direction, RunId id) {
    return new Position(direction, id);
  }
}
