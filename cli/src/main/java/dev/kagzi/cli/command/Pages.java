package dev.kagzi.cli.command;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import dev.kagzi.v1.PageInfo;
import java.util.List;

/**
 * Answers that are a page of a list. In the contract each has one repeated field, its rows, and
 * says in {@code page} where the next one begins. Stateless.
 */
final class Pages {
  private Pages() {}

  static int rows(Message page) {
    return page.getRepeatedFieldCount(rowsOf(page));
  }

  static PageInfo place(Message page) {
    return (PageInfo) page.getField(page.getDescriptorForType().findFieldByName("page"));
  }

  /** One answer with the rows of all, and the place and everything else of the last. */
  @SuppressWarnings("unchecked") // a builder makes what it was made from
  static <R extends Message> R merge(List<R> pages) {
    var rows = rowsOf(pages.getLast());
    var all = pages.getLast().toBuilder().clearField(rows);
    for (var page : pages) {
      ((List<?>) page.getField(rows)).forEach(row -> all.addRepeatedField(rows, row));
    }
    return (R) all.build();
  }

  private static FieldDescriptor rowsOf(Message page) {
    return page.getDescriptorForType().getFields().stream()
        .filter(FieldDescriptor::isRepeated)
        .findFirst()
        .orElseThrow();
  }
}
