package dev.kagzi.cli.namespace;

import com.google.protobuf.Message;
import dev.kagzi.cli.client.ClientOptions;
import dev.kagzi.cli.command.ChangeOptions;
import dev.kagzi.cli.command.EditOptions;
import dev.kagzi.cli.command.ListOptions;
import dev.kagzi.cli.command.Moments;
import dev.kagzi.cli.command.ShowOptions;
import dev.kagzi.cli.output.Answer;
import dev.kagzi.cli.output.OutputOptions;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.v1.CreateNamespaceRequest;
import dev.kagzi.v1.DisableNamespaceRequest;
import dev.kagzi.v1.EnableNamespaceRequest;
import dev.kagzi.v1.GetNamespaceRequest;
import dev.kagzi.v1.ListNamespacesRequest;
import dev.kagzi.v1.ListNamespacesResponse;
import dev.kagzi.v1.Namespace;
import dev.kagzi.v1.UpdateNamespaceRequest;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Tenants that never see each other's runs. */
@Command(
    name = "namespace",
    aliases = "ns",
    description = "Lists, creates and changes namespaces.",
    footer = "Example: kagzi namespace create orders --retention 30d")
public final class NamespaceCommand {
  private final Session session;

  public NamespaceCommand(Session session) {
    this.session = session;
  }

  @Command(
      name = "list",
      description = "Lists namespaces by name.",
      footer = "Example: kagzi namespace list")
  int list(@Mixin ListOptions list) {
    var server = list.open(session);
    return list.print(
        session,
        server,
        (size, token) -> server.namespaces(stub -> stub.listNamespaces(page(size, token))),
        new ListOptions.Rows<>(
            ListNamespacesResponse::getNamespacesList,
            Namespace::getNamespace,
            NamespaceView::table));
  }

  private static ListNamespacesRequest page(int size, String token) {
    return ListNamespacesRequest.newBuilder().setPageSize(size).setPageToken(token).build();
  }

  @Command(
      name = "show",
      description = "Shows one namespace.",
      footer = "Example: kagzi namespace show orders")
  int show(
      @Mixin ShowOptions show,
      @Parameters(paramLabel = "NAMESPACE", description = "Its name.") String name) {
    var server = show.open(session);
    var request = GetNamespaceRequest.newBuilder().setNamespace(name).build();
    return show.print(
        session,
        () -> {
          var response = server.namespaces(stub -> stub.getNamespace(request));
          return Answer.one(
              response, name, look -> NamespaceView.text(response.getNamespace(), look));
        });
  }

  @Command(
      name = "create",
      description = "Creates a namespace; safe to repeat with the same settings.",
      footer = "Example: kagzi namespace create orders --retention 30d --description 'The shop'")
  int create(
      @Mixin ClientOptions client,
      @Mixin OutputOptions output,
      @Mixin ChangeOptions.DryRun dryRun,
      @Parameters(paramLabel = "NAMESPACE", description = "Its name.") String name,
      @Option(names = "--description", paramLabel = "TEXT", description = "What it is for.")
          @Nullable String description,
      @Option(names = "--retention", paramLabel = "TIME", description = RETENTION)
          @Nullable String retention,
      @Option(names = "--keep-forever", description = KEEP_FOREVER) boolean keepForever,
      @Option(names = "--label", paramLabel = "KEY=VALUE", description = LABEL)
          @Nullable Map<String, String> labels) {
    var request = CreateNamespaceRequest.newBuilder().setNamespace(name);
    request.setKeepForever(keepForever).putAllLabels(labels == null ? Map.of() : labels);
    if (description != null) {
      request.setDescription(description);
    }
    if (retention != null) {
      request.setRetention(Moments.wire("--retention", retention));
    }
    return dryRun.apply(
        session,
        output,
        request.build(),
        wanted -> client.open(session).namespaces(stub -> stub.createNamespace(wanted)),
        response ->
            changed(
                response,
                response.getNamespace(),
                response.getAlreadyExists() ? "exists already" : "created"));
  }

  private static final String RETENTION =
      "How long ended runs are kept, in whole days such as 30d.";
  private static final String KEEP_FOREVER = "Never removes ended runs.";
  private static final String LABEL = "A label. May be repeated.";

  @Command(
      name = "update",
      description = "Changes what is given and leaves the rest.",
      footer = "Example: kagzi namespace update orders --retention 90d")
  int update(
      @Mixin ClientOptions client,
      @Mixin OutputOptions output,
      @Mixin ChangeOptions.DryRun dryRun,
      @Parameters(paramLabel = "NAMESPACE", description = "Its name.") String name,
      @Option(names = "--description", paramLabel = "TEXT", description = "What it is for.")
          @Nullable String description,
      @Option(names = "--retention", paramLabel = "TIME", description = RETENTION)
          @Nullable String retention,
      @Option(names = "--keep-forever", description = KEEP_FOREVER) boolean keepForever,
      @Option(names = "--label", paramLabel = "KEY=VALUE", description = LABEL)
          @Nullable Map<String, String> labels,
      @Option(names = "--remove-label", paramLabel = "KEY", description = "Removes a label.")
          @Nullable List<String> removedLabels) {
    var request = UpdateNamespaceRequest.newBuilder().setNamespace(name);
    request.setKeepForever(keepForever).putAllLabels(labels == null ? Map.of() : labels);
    request.addAllRemoveLabels(removedLabels == null ? List.of() : removedLabels);
    if (description != null) {
      request.setDescription(description);
    }
    if (retention != null) {
      request.setRetention(Moments.wire("--retention", retention));
    }
    return dryRun.apply(
        session,
        output,
        request.build(),
        wanted -> client.open(session).namespaces(stub -> stub.updateNamespace(wanted)),
        response -> changed(response, response.getNamespace(), "updated"));
  }

  @Command(
      name = "enable",
      description = "Lets a namespace start and claim runs again.",
      footer = "Example: kagzi namespace enable orders")
  int enable(
      @Mixin EditOptions edit,
      @Parameters(paramLabel = "NAMESPACE", description = "Its name.") String name) {
    var request =
        EnableNamespaceRequest.newBuilder().setNamespace(name).setReason(edit.reason()).build();
    return edit.apply(
        session,
        request,
        wanted -> edit.open(session).namespaces(stub -> stub.enableNamespace(wanted)),
        response -> changed(response, response.getNamespace(), "enabled"));
  }

  @Command(
      name = "disable",
      description = "Stops starts, claims and schedules of a namespace; asks first.",
      footer = "Example: kagzi namespace disable orders --reason 'moved' --yes")
  int disable(
      @Mixin EditOptions edit,
      @Parameters(paramLabel = "NAMESPACE", description = "Its name.") String name) {
    var request =
        DisableNamespaceRequest.newBuilder().setNamespace(name).setReason(edit.reason()).build();
    return edit.applyAsked(
        session,
        "stop everything in namespace " + name,
        request,
        wanted -> edit.open(session).namespaces(stub -> stub.disableNamespace(wanted)),
        response -> changed(response, response.getNamespace(), "disabled"));
  }

  private static Answer changed(Message response, Namespace namespace, String word) {
    var name = namespace.getNamespace();
    return Answer.one(response, name, look -> "namespace %s %s%n".formatted(name, word));
  }
}
