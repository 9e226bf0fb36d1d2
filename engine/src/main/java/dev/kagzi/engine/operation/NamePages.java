package dev.kagzi.engine.operation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;

/**
 * Pages of one list that is sorted by name, in both directions.
 *
 * @param namespace to which tokens are bound, as they are to the filter
 */
record NamePages(PageTokens tokens, String namespace, String filter) {

  private static final char AFTER = '>';
  private static final char BEFORE = '<';

  /** The side of a name that is wanted. */
  record From(boolean forward, String name) {
    static final From START = new From(true, "");
  }

  /** A page in the order of names. */
  record Cut<T>(List<T> items, String nextPageToken, String prevPageToken, boolean hasMore) {}

  From read(String token) {
    if (token.isEmpty()) {
      return From.START;
    }
    String text = tokens.readName(token, namespace, filter);
    return new From(text.charAt(0) == AFTER, text.substring(1));
  }

  /**
   * A page of what was found on one side of a name, nearest first.
   *
   * @param found one more than the page holds, if there are more
   */
  <T> Cut<T> cut(List<T> found, From from, int size, Function<T, String> nameOf) {
    boolean more = found.size() > size;
    List<T> items = new ArrayList<>(more ? found.subList(0, size) : found);
    if (!from.forward()) {
      Collections.reverse(items);
    }
    String head = items.isEmpty() ? from.name() : nameOf.apply(items.get(0));
    String tail = items.isEmpty() ? from.name() : nameOf.apply(items.get(items.size() - 1));
    boolean after = !from.forward() || more;
    boolean before = from.forward() ? !from.equals(From.START) : more;
    return new Cut<>(
        List.copyOf(items),
        after ? write(AFTER, tail) : "",
        before ? write(BEFORE, head) : "",
        more);
  }

  private String write(char side, String name) {
    return tokens.writeName(side + name, namespace, filter);
  }
}
