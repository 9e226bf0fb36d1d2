package dev.kagzi.cli.api;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.DynamicMessage;
import dev.kagzi.cli.client.ClientOptions;
import dev.kagzi.cli.client.Server;
import dev.kagzi.cli.command.JsonInput;
import dev.kagzi.cli.command.Moments;
import dev.kagzi.cli.output.Table;
import dev.kagzi.cli.shell.CommandFailedException;
import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.cli.shell.Session;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Calls anything that the server serves. */
@Command(
    name = "api",
    description = "Calls a method of the server by name, with JSON in and out.",
    footer = "Example: kagzi api GetWorkflow '{\"externalId\":\"order-42\"}'")
public final class ApiCommand implements Callable<Integer> {
  private static final String NAMESPACE = "namespace";
  private static final String NAMESPACE_FLAG = "--namespace";

  private final Session session;

  @Mixin
  @SuppressWarnings("NullAway.Init") // picocli sets it before anything is called
  private ClientOptions client;

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "METHOD",
      description =
          "kagzi.v1.WorkflowService/GetWorkflow, WorkflowService/GetWorkflow or GetWorkflow.")
  private @Nullable String method;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "JSON",
      description = "The request; @FILE reads a file, - the standard input. Default: {}.")
  private String json = "{}";

  @Option(names = "--list", description = "Lists what the server serves, and calls nothing.")
  private boolean list;

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      description = "How long to wait for the answer. Default: 15s.")
  private String timeout = "15s";

  public ApiCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() {
    var server = client.open(session);
    var contract = new Contract(new Reflection(server));
    if (list) {
      session.out().print(table(contract));
      return ExitCode.OK.number();
    }
    if (method == null) {
      throw CommandFailedException.usage("METHOD is missing; kagzi api --list shows what there is");
    }
    var limit = Moments.duration("--timeout", timeout);
    var meant = contract.find(method);
    requireUnary(meant);
    var messages = new JsonMessages(contract.files());
    var request = messages.read(meant.getInputType(), JsonInput.json(session, "the request", json));
    var asked = withNamespace(server, request);
    var response = server.call(RawStub::on, stub -> stub.call(meant, asked), limit);
    session.out().println(messages.write(response));
    return ExitCode.OK.number();
  }

  private static String table(Contract contract) {
    var table = new Table("METHOD", "REQUEST", "ANSWER");
    for (var method : contract.methods()) {
      table.row(
          Contract.name(method),
          (method.isClientStreaming() ? "stream " : "") + method.getInputType().getName(),
          (method.isServerStreaming() ? "stream " : "") + method.getOutputType().getName());
    }
    return table.text();
  }

  private static void requireUnary(MethodDescriptor method) {
    if (method.isClientStreaming() || method.isServerStreaming()) {
      throw CommandFailedException.usage(
          "%s is a conversation; kagzi api makes calls of one request and one answer"
              .formatted(Contract.name(method)));
    }
  }

  /**
   * The request with the namespace of the flag, where it names none. Weaker origins are not used:
   * for some methods the field is the thing that is changed.
   */
  private static DynamicMessage withNamespace(Server server, DynamicMessage request) {
    var given = server.settings().namespace();
    var field = request.getDescriptorForType().findFieldByName(NAMESPACE);
    if (!given.origin().equals(NAMESPACE_FLAG)
        || field == null
        || field.getJavaType() != FieldDescriptor.JavaType.STRING
        || !request.getField(field).equals("")) {
      return request;
    }
    return request.toBuilder().setField(field, given.value()).build();
  }
}
