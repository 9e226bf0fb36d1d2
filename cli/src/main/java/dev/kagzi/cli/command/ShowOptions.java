package dev.kagzi.cli.command;

import dev.kagzi.cli.client.ClientOptions;
import dev.kagzi.cli.client.Server;
import dev.kagzi.cli.output.Answer;
import dev.kagzi.cli.output.OutputOptions;
import dev.kagzi.cli.output.WatchOptions;
import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.cli.shell.Session;
import java.util.function.Predicate;
import java.util.function.Supplier;
import picocli.CommandLine.Mixin;

/** The flags of a command that shows something, and how it does. */
public final class ShowOptions {
  @Mixin private ClientOptions client = new ClientOptions();
  @Mixin private OutputOptions output = new OutputOptions();
  @Mixin private WatchOptions watch = new WatchOptions();

  public Server open(Session session) {
    return client.open(session);
  }

  /** Whether a person is to read the answer. */
  public boolean isForPeople() {
    return output.isForPeople();
  }

  /** Prints an answer, once or as long as somebody watches. */
  public int print(Session session, Supplier<Answer> ask) {
    return print(session, ask, answer -> false);
  }

  /** Prints an answer, once or until it is the last one. */
  public int print(Session session, Supplier<Answer> ask, Predicate<Answer> isLast) {
    watch.print(session, output.printer(session), ask, isLast);
    return ExitCode.OK.number();
  }
}
