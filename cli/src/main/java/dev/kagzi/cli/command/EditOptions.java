package dev.kagzi.cli.command;

import com.google.protobuf.Message;
import dev.kagzi.cli.client.ClientOptions;
import dev.kagzi.cli.client.Server;
import dev.kagzi.cli.output.Answer;
import dev.kagzi.cli.output.OutputOptions;
import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.cli.shell.Session;
import java.util.Optional;
import java.util.function.Function;
import picocli.CommandLine.Mixin;

/** The flags of a command that changes one thing for a reason, and how it does. */
public final class EditOptions {
  @Mixin private ClientOptions client = new ClientOptions();
  @Mixin private OutputOptions output = new OutputOptions();
  @Mixin private ChangeOptions change = new ChangeOptions();

  public Server open(Session session) {
    return client.open(session);
  }

  public String reason() {
    return change.reason();
  }

  /** Makes a call and prints its answer, or shows what it would be. */
  public <Q extends Message, R> int apply(
      Session session, Q request, Function<Q, R> call, Function<R, Answer> answer) {
    made(session, request, call, answer);
    return ExitCode.OK.number();
  }

  /** The same, and asks first. */
  public <Q extends Message, R> int applyAsked(
      Session session,
      String question,
      Q request,
      Function<Q, R> call,
      Function<R, Answer> answer) {
    return apply(
        session,
        request,
        wanted -> {
          change.confirm(session, question);
          return call.apply(wanted);
        },
        answer);
  }

  /** The same as {@link #apply}, for what goes on with the answer; none if no call was made. */
  public <Q extends Message, R> Optional<R> made(
      Session session, Q request, Function<Q, R> call, Function<R, Answer> answer) {
    return change.dryRun().made(session, output, request, call, answer);
  }
}
