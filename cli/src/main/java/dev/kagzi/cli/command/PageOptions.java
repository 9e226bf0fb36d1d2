package dev.kagzi.cli.command;

import com.google.protobuf.Message;
import dev.kagzi.cli.output.Words;
import dev.kagzi.cli.shell.CommandFailedException;
import dev.kagzi.cli.shell.Progress;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.v1.PageInfo;
import java.util.ArrayList;
import picocli.CommandLine.Option;

/** {@code --limit}: how much of a list to fetch, page by page. */
public final class PageOptions {
  private static final int LARGEST_PAGE = 1000;
  private static final int MOST = 100_000;

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "How many to show at most, up to 100000. Default: 50.")
  private int limit = 50;

  /**
   * Fetches as many pages as the limit asks for.
   *
   * @param fetch asks for a page by its size and token
   */
  public <R extends Message> R fetch(Session session, Fetch<R> fetch) {
    requireSense();
    var pages = new ArrayList<R>();
    var left = limit;
    var token = "";
    try (var progress = new Progress(session)) {
      while (true) {
        progress.show("fetched %d of at most %d".formatted(limit - left, limit));
        var next = fetch.page(Math.min(left, LARGEST_PAGE), token);
        pages.add(next);
        left -= Pages.rows(next);
        token = Pages.place(next).getNextPageToken();
        if (left <= 0 || token.isEmpty()) {
          return pages.size() == 1 ? next : Pages.merge(pages);
        }
      }
    }
  }

  private void requireSense() {
    if (limit < 1 || limit > MOST) {
      throw CommandFailedException.usage("--limit: %d (expected: 1 to %d)".formatted(limit, MOST));
    }
  }

  /** Asks for one page. */
  @FunctionalInterface
  public interface Fetch<R> {
    R page(int size, String token);
  }

  /** How a list ends for a person: how many were shown, and that there are more. */
  public static String footer(int shown, String noun, PageInfo page) {
    if (page.hasTotalCount()) {
      return "%d of %s%s%n"
          .formatted(
              shown,
              page.getTotalIsLowerBound() ? "at least " : "",
              Words.count(page.getTotalCount(), noun));
    }
    return page.getHasMore()
        ? "%s, and there are more (--limit)%n".formatted(Words.count(shown, noun))
        : "%s%n".formatted(Words.count(shown, noun));
  }
}
