package dev.kagzi.cli.namespace;

import dev.kagzi.cli.client.ClientOptions;
import dev.kagzi.cli.command.ChangeOptions;
import dev.kagzi.cli.command.Moments;
import dev.kagzi.cli.command.PageOptions;
import dev.kagzi.cli.output.Answer;
import dev.kagzi.cli.output.OutputOptions;
import dev.kagzi.cli.output.WatchOptions;
import dev.kagzi.cli.shell.ExitCode;
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
  int list(
      @Mixin ClientOptions client,
      @Mixin OutputOptions output,
      @Mixin WatchOptions watch,
      @Mixin PageOptions pages) {
    var server = client.open(session);
    watch.print(
        session,
        output.printer(session),
        () -> {
          var response =
              pages.fetch(
                  (size, token) ->
                      server.namespaces(stub -> stub.listNamespaces(page(size, token))),
                  ListNamespacesResponse::getPage,
                  ListNamespacesResponse::getNamespacesCount,
                  NamespaceCommand::merge);
          return Answer.list(
              response,
              response.getNamespacesList(),
              Namespace::getNamespace,
              look -> NamespaceView.table(response, look));
        });
    return ExitCode.OK.number();
  }

  private static ListNamespacesRequest page(int size, String token) {
    return ListNamespacesRequest.newBuilder().setPageSize(size).setPageToken(token).build();
  }

  private static ListNamespacesResponse merge(List<ListNamespacesResponse> pages) {
    var all = pages.getLast().toBuilder().clearNamespaces();
    pages.forEach(page -> all.addAllNamespaces(page.getNamespacesList()));
    return all.build();
  }

  @Command(
      name = "show",
      description = "Shows one namespace.",
      footer = "Example: kagzi namespace show orders")
  int show(
      @Mixin ClientOptions client,
      @Mixin OutputOptions output,
      @Mixin WatchOptions watch,
      @Parameters(paramLabel = "NAMESPACE", description = "Its name.") String name) {
    var server = client.open(session);
    var request = GetNamespaceRequest.newBuilder().setNamespace(name).build();
    watch.print(
        session,
        output.printer(session),
        () -> {
          var response = server.namespaces(stub -> stub.getNamespace(request));
          return Answer.one(
              response, name, look -> NamespaceView.text(response.getNamespace(), look));
        });
    return ExitCode.OK.number();
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
    if (!dryRun.shows(session, "CreateNamespace", request.build())) {
      var response = client.open(session).namespaces(stub -> stub.createNamespace(request.build()));
      var word = response.getAlreadyExists() ? "exists already" : "created";
      print(output, response, response.getNamespace(), word);
    }
    return ExitCode.OK.number();
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
    if (!dryRun.shows(session, "UpdateNamespace", request.build())) {
      var response = client.open(session).namespaces(stub -> stub.updateNamespace(request.build()));
      print(output, response, response.getNamespace(), "updated");
    }
    return ExitCode.OK.number();
  }

  @Command(
      name = "enable",
      description = "Lets a namespace start and claim runs again.",
      footer = "Example: kagzi namespace enable orders")
  int enable(
      @Mixin ClientOptions client,
      @Mixin OutputOptions output,
      @Mixin ChangeOptions change,
      @Parameters(paramLabel = "NAMESPACE", description = "Its name.") String name) {
    var request =
        EnableNamespaceRequest.newBuilder().setNamespace(name).setReason(change.reason()).build();
    if (!change.shows(session, "EnableNamespace", request)) {
      var response = client.open(session).namespaces(stub -> stub.enableNamespace(request));
      print(output, response, response.getNamespace(), "enabled");
    }
    return ExitCode.OK.number();
  }

  @Command(
      name = "disable",
      description = "Stops starts, claims and schedules of a namespace; asks first.",
      footer = "Example: kagzi namespace disable orders --reason 'moved' --yes")
  int disable(
      @Mixin ClientOptions client,
      @Mixin OutputOptions output,
      @Mixin ChangeOptions change,
      @Parameters(paramLabel = "NAMESPACE", description = "Its name.") String name) {
    var request =
        DisableNamespaceRequest.newBuilder().setNamespace(name).setReason(change.reason()).build();
    if (!change.shows(session, "DisableNamespace", request)) {
      change.confirm(session, "stop everything in namespace " + name);
      var response = client.open(session).namespaces(stub -> stub.disableNamespace(request));
      print(output, response, response.getNamespace(), "disabled");
    }
    return ExitCode.OK.number();
  }

  private void print(
      OutputOptions output,
      com.google.protobuf.Message response,
      Namespace namespace,
      String word) {
    output
        .printer(session)
        .print(
            Answer.one(
                response,
                namespace.getNamespace(),
                look -> "namespace %s %s%n".formatted(namespace.getNamespace(), word)));
  }
}
