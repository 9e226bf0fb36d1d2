package dev.kagzi.cli.workflow;

import dev.kagzi.cli.client.ClientOptions;
import dev.kagzi.cli.command.ChangeOptions;
import dev.kagzi.cli.command.JsonInput;
import dev.kagzi.cli.output.Answer;
import dev.kagzi.cli.output.Look;
import dev.kagzi.cli.output.OutputOptions;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.v1.Event;
import dev.kagzi.v1.SendEventRequest;
import dev.kagzi.v1.SendEventResponse;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Delivers an event. */
@Command(
    name = "send",
    description = "Delivers an event to a live run, whether or not it waits for it yet.",
    footer = "Example: kagzi wf send order-42 order-approved '{\"ok\":true}'")
final class SendCommand implements Callable<Integer> {
  private final Session session;

  @Mixin private ClientOptions client = new ClientOptions();
  @Mixin private OutputOptions output = new OutputOptions();
  @Mixin private ChangeOptions.DryRun dryRun = new ChangeOptions.DryRun();

  @Parameters(index = "0", paramLabel = "RUN", description = RunArgument.DESCRIPTION)
  private String run = "";

  @Parameters(index = "1", paramLabel = "EVENT", description = "Its name.")
  private String event = "";

  @Parameters(
      index = "2",
      arity = "0..1",
      paramLabel = "PAYLOAD",
      description = "JSON, @file, or - for the standard input. Default: null.")
  private @Nullable String payload;

  @Option(
      names = "--key",
      paramLabel = "KEY",
      description = "A second event with the same key is not delivered. Default: a new one.")
  private @Nullable String key;

  SendCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() {
    var server = client.open(session);
    var request =
        SendEventRequest.newBuilder()
            .setNamespace(server.namespace())
            .setRunId(RunArgument.find(session, server, run))
            .setEvent(
                Event.newBuilder()
                    .setName(event)
                    .setPayload(JsonInput.payload(session, "the payload", payload))
                    .setIdempotencyKey(key == null ? server.newId() : key))
            .build();
    return dryRun.apply(
        session,
        output,
        request,
        wanted -> server.workflows(stub -> stub.sendEvent(wanted)),
        this::delivered);
  }

  private Answer delivered(SendEventResponse response) {
    var words = response.getAlreadyDelivered() ? "was there already for" : "delivered to";
    return Answer.one(
        response,
        response.getRunId(),
        look -> "event %s %s %s%n".formatted(event, words, Look.shortId(response.getRunId())));
  }
}
