package dev.kagzi.sdk;

import java.util.List;
import java.util.Optional;

/**
 * A part of a list. Immutable.
 *
 * @param items what it holds; it may be fewer than were asked for, even none, with more to come
 * @param next what to ask the next page with; empty if this is the last
 * @param <T> what is listed
 */
public record Page<T>(List<T> items, Optional<String> next) {

  public Page {
    items = List.copyOf(items);
  }
}
