package dev.kagzi.cli.command;

import com.google.protobuf.Message;
import dev.kagzi.cli.client.Server;
import dev.kagzi.cli.output.Answer;
import dev.kagzi.cli.output.Look;
import dev.kagzi.cli.shell.Session;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import picocli.CommandLine.Mixin;

/** The flags of a command that lists something, and how it does. */
public final class ListOptions {
  @Mixin private ShowOptions show = new ShowOptions();
  @Mixin private PageOptions pages = new PageOptions();

  /**
   * What a list consists of.
   *
   * @param id what the next command of a pipe can use of a row
   * @param table what a person reads
   */
  public record Rows<R extends Message, I extends Message>(
      Function<R, List<I>> rows, Function<I, String> id, BiFunction<R, Look, String> table) {}

  public Server open(Session session) {
    return show.open(session);
  }

  /** Whether a person is to read the answer. */
  public boolean isForPeople() {
    return show.isForPeople();
  }

  /**
   * Prints a list, once or as long as somebody watches.
   *
   * @param fetch asks the server for a page
   */
  public <R extends Message, I extends Message> int print(
      Session session, Server server, PageOptions.Fetch<R> fetch, Rows<R, I> rows) {
    return show.print(session, () -> answer(session, server, fetch, rows));
  }

  private <R extends Message, I extends Message> Answer answer(
      Session session, Server server, PageOptions.Fetch<R> fetch, Rows<R, I> rows) {
    var response = pages.fetch(session, fetch);
    if (Pages.rows(response) == 0) {
      server.requireNamespace();
    }
    return Answer.list(
        response,
        rows.rows().apply(response),
        rows.id(),
        look -> rows.table().apply(response, look));
  }
}
