package dev.kagzi.sdk.client;

import dev.kagzi.sdk.Page;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A list that lies at the server and is read page by page. Nothing is asked before a method is
 * called, and each call asks anew. All methods throw {@link
 * dev.kagzi.sdk.ServerUnavailableException} if no server answers. Thread-safe.
 *
 * @param <T> what is listed
 */
public final class Listing<T> implements Iterable<T> {

  private static final int PAGE_SIZE = 200;

  private final Reader<T> reader;

  /** Reads one page; the token is empty for the first. */
  interface Reader<T> {
    Page<T> read(int size, String token);
  }

  Listing(Reader<T> reader) {
    this.reader = reader;
  }

  /**
   * The first page.
   *
   * @param size how many at most, 1 to 1000
   * @throws IllegalArgumentException if the size is out of range
   */
  public Page<T> page(int size) {
    return page(size, "");
  }

  /**
   * A later page.
   *
   * @param size how many at most, 1 to 1000
   * @param token what the {@linkplain Page#next page before} says
   * @throws IllegalArgumentException if the size is out of range
   * @throws dev.kagzi.sdk.RequestRefusedException if the token is not one of this list
   */
  public Page<T> page(int size, String token) {
    if (size < 1 || size > 1000) {
      throw new IllegalArgumentException("page size: " + size + " (expected: 1 to 1000)");
    }
    return reader.read(size, token);
  }

  /** All of it, in its order; pages are asked for when their turn comes. */
  public Stream<T> stream() {
    return Stream.iterate(
            Optional.of(page(PAGE_SIZE)),
            Optional::isPresent,
            page -> page.flatMap(Page::next).map(token -> page(PAGE_SIZE, token)))
        .flatMap(page -> page.orElseThrow().items().stream());
  }

  /** All of it at once, in its order. */
  public List<T> all() {
    return stream().toList();
  }

  /** Goes through all of it, in its order; pages are asked for when their turn comes. */
  @Override
  public Iterator<T> iterator() {
    return stream().iterator();
  }
}
