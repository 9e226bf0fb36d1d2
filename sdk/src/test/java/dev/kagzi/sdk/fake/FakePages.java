package dev.kagzi.sdk.fake;

import dev.kagzi.v1.PageInfo;
import java.util.List;

/** Cuts lists into pages whose token is the index of the next item. */
final class FakePages {

  private FakePages() {}

  record Cut<T>(List<T> items, PageInfo info) {}

  static <T> Cut<T> of(List<T> all, int size, String token) {
    int from = token.isEmpty() ? 0 : Integer.parseInt(token);
    int to = Math.min(all.size(), from + size);
    return new Cut<>(
        all.subList(from, to),
        PageInfo.newBuilder()
            .setHasMore(to < all.size())
            .setNextPageToken(to < all.size() ? Integer.toString(to) : "")
            .build());
  }
}
