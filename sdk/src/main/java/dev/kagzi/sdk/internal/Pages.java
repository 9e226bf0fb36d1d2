package dev.kagzi.sdk.internal;

import dev.kagzi.sdk.Page;
import dev.kagzi.v1.PageInfo;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Pages of lists as users see them. */
final class Pages {

  private Pages() {}

  static <W, T> Page<T> of(List<W> wire, Function<W, T> view, PageInfo info) {
    String next = info.getNextPageToken();
    return new Page<>(
        wire.stream().map(view).toList(), next.isEmpty() ? Optional.empty() : Optional.of(next));
  }
}
