package dev.kagzi.cli.output;

import com.google.protobuf.Message;
import java.util.List;
import java.util.function.Function;

/**
 * What a server said, in every form in which it can be printed. Immutable.
 *
 * @param message the answer itself
 * @param rows what gets a line each; the message itself unless it is a list
 * @param ids what the next command of a pipe can use
 * @param text what a person reads
 */
public record Answer(
    Message message, List<? extends Message> rows, List<String> ids, Function<Look, String> text) {

  public Answer {
    rows = List.copyOf(rows);
    ids = List.copyOf(ids);
  }

  /** An answer about one thing. */
  public static Answer one(Message message, String id, Function<Look, String> text) {
    return new Answer(message, List.of(message), List.of(id), text);
  }

  /** An answer that is a list. */
  public static <R extends Message> Answer list(
      Message message, List<R> rows, Function<R, String> id, Function<Look, String> text) {
    return new Answer(message, rows, rows.stream().map(id).toList(), text);
  }
}
