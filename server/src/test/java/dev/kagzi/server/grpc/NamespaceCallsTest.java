package dev.kagzi.server.grpc;

import static dev.kagzi.server.Wire.aPoll;
import static dev.kagzi.server.Wire.aStart;
import static dev.kagzi.server.Wire.aWorker;
import static dev.kagzi.server.Wire.complete;
import static dev.kagzi.server.Wire.seconds;
import static dev.kagzi.server.grpc.WorkerFixture.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.server.TestServer;
import dev.kagzi.v1.CreateNamespaceRequest;
import dev.kagzi.v1.DisableNamespaceRequest;
import dev.kagzi.v1.EnableNamespaceRequest;
import dev.kagzi.v1.ExplainReason;
import dev.kagzi.v1.ExplainWorkflowRequest;
import dev.kagzi.v1.GetNamespaceRequest;
import dev.kagzi.v1.ListNamespacesRequest;
import dev.kagzi.v1.ListNamespacesResponse;
import dev.kagzi.v1.Namespace;
import dev.kagzi.v1.StartWorkflowResponse;
import dev.kagzi.v1.Task;
import dev.kagzi.v1.UpdateNamespaceRequest;
import dev.kagzi.v1.WorkflowStatus;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NamespaceCallsTest {

  private static final long DAY = 24 * 60 * 60;

  private TestServer server;

  @BeforeAll
  void start() {
    server = TestServer.start();
  }

  @AfterAll
  void stop() {
    server.close();
  }

  @Test
  void aNamespaceIsCreatedOnceAndAnsweredAgainWithTheSameSettings() {
    var request =
        CreateNamespaceRequest.newBuilder()
            .setNamespace("billing")
            .setDescription("invoices")
            .setRetention(seconds(30 * DAY))
            .putLabels("team", "money")
            .build();

    var created = server.namespaces().createNamespace(request);
    var again = server.namespaces().createNamespace(request);

    assertThat(created.getAlreadyExists()).isFalse();
    assertThat(again.getAlreadyExists()).isTrue();
    assertThat(again.getNamespace()).isEqualTo(created.getNamespace());
    assertThat(get("billing")).isEqualTo(created.getNamespace());
    assertThat(created.getNamespace().getEnabled()).isTrue();
    assertThat(created.getNamespace().getRetention()).isEqualTo(seconds(30 * DAY));
    assertThat(
            refusalOf(() ->
                server
                    .namespaces()
                    .createNamespace(request.toBuilder().setDescription("other").build())))
        .isEqualTo("ALREADY_EXISTS NAMESPACE_EXISTS");
    assertThat(refusalOf(() -> get("nowhere"))).isEqualTo("NOT_FOUND NAMESPACE_NOT_FOUND");
  }

  @Test
  void anUpdateChangesWhatItNamesAndLeavesTheRest() {
    String name = create();
    server
        .namespaces()
        .updateNamespace(
            UpdateNamespaceRequest.newBuilder()
                .setNamespace(name)
                .setDescription("first")
                .setRetention(seconds(7 * DAY))
                .putLabels("a", "1")
                .putLabels("b", "2")
                .build());

    Namespace changed =
        server
            .namespaces()
            .updateNamespace(
                UpdateNamespaceRequest.newBuilder()
                    .setNamespace(name)
                    .putLabels("b", "3")
                    .addRemoveLabels("a")
                    .build())
            .getNamespace();
    Namespace reset =
        server
            .namespaces()
            .updateNamespace(
                UpdateNamespaceRequest.newBuilder()
                    .setNamespace(name)
                    .setRetention(seconds(0))
                    .build())
            .getNamespace();

    assertThat(changed.getDescription()).isEqualTo("first");
    assertThat(changed.getRetention()).isEqualTo(seconds(7 * DAY));
    assertThat(changed.getLabelsMap()).containsOnly(java.util.Map.entry("b", "3"));
    assertThat(reset.hasRetention()).isFalse();
    assertThat(reset.getDescription()).isEqualTo("first");
  }

  @Test
  void whatIsKeptForEverIsKeptUntilAnUpdateSaysOtherwise() {
    String name = create();
    var update = UpdateNamespaceRequest.newBuilder().setNamespace(name);

    Namespace kept =
        server
            .namespaces()
            .updateNamespace(update.clone().setKeepForever(true).build())
            .getNamespace();
    Namespace renamed =
        server
            .namespaces()
            .updateNamespace(update.clone().setDescription("still").build())
            .getNamespace();
    Namespace again =
        server
            .namespaces()
            .updateNamespace(update.clone().setRetention(seconds(DAY)).build())
            .getNamespace();

    assertThat(kept.getKeepForever()).isTrue();
    assertThat(kept.hasRetention()).isFalse();
    assertThat(renamed.getKeepForever()).isTrue();
    assertThat(again.getKeepForever()).isFalse();
    assertThat(again.getRetention()).isEqualTo(seconds(DAY));
    assertThat(
            refusalOf(() ->
                server
                    .namespaces()
                    .updateNamespace(
                        update.clone().setKeepForever(true).setRetention(seconds(DAY)).build())))
        .startsWith("INVALID_ARGUMENT");
  }

  @Test
  void namespacesAreListedByNameInBothDirections() {
    for (int i = 0; i < 5; i++) {
      create("list-" + i);
    }
    ListNamespacesResponse all = list(1000, "");
    var names = all.getNamespacesList().stream().map(Namespace::getNamespace).toList();

    ListNamespacesResponse first = list(2, "");
    ListNamespacesResponse second = list(2, first.getPage().getNextPageToken());
    ListNamespacesResponse back = list(2, second.getPage().getPrevPageToken());

    assertThat(names).isSorted().contains("default", "list-0", "list-4");
    assertThat(all.getPage().getHasMore()).isFalse();
    assertThat(all.getPage().getTotalCount()).isEqualTo(names.size());
    assertThat(first.getNamespacesList()).isEqualTo(all.getNamespacesList().subList(0, 2));
    assertThat(second.getNamespacesList()).isEqualTo(all.getNamespacesList().subList(2, 4));
    assertThat(back.getNamespacesList()).isEqualTo(first.getNamespacesList());
    assertThat(back.getPage().getPrevPageToken()).isEmpty();
  }

  @Test
  void aDisabledNamespaceTakesAndHandsOutNothingButLetsRunsFinish() {
    String name = create();
    String worker = server.workers().register(aWorker().setNamespace(name).build()).getWorkerId();
    StartWorkflowResponse claimed = start(name);
    Task task = server.workers().pollTask(aPoll(worker).setNamespace(name).build()).getTasks(0);
    StartWorkflowResponse waiting = start(name);

    Namespace disabled =
        server
            .namespaces()
            .disableNamespace(
                DisableNamespaceRequest.newBuilder()
                    .setNamespace(name)
                    .setReason("not paid")
                    .build())
            .getNamespace();

    assertThat(disabled.getEnabled()).isFalse();
    assertThat(disabled.getDisableReason()).isEqualTo("not paid");
    assertThat(refusalOf(() -> start(name))).isEqualTo("FAILED_PRECONDITION NAMESPACE_DISABLED");
    assertThat(
            server
                .workers()
                .pollTask(aPoll(worker).setNamespace(name).setWait(seconds(1)).build())
                .getTasksList())
        .isEmpty();
    var why =
        server
            .admin()
            .explainWorkflow(
                ExplainWorkflowRequest.newBuilder()
                    .setNamespace(name)
                    .setRunId(waiting.getRunId())
                    .build());
    assertThat(why.getReason()).isEqualTo(ExplainReason.EXPLAIN_REASON_NAMESPACE_DISABLED);
    var finished =
        server
            .workers()
            .completeWorkflow(complete(task, worker, "1").toBuilder().setNamespace(name).build());
    assertThat(finished.getStatus()).isEqualTo(WorkflowStatus.WORKFLOW_STATUS_COMPLETED);
    assertThat(task.getRunId()).isEqualTo(claimed.getRunId());

    server
        .namespaces()
        .enableNamespace(EnableNamespaceRequest.newBuilder().setNamespace(name).build());
    assertThat(get(name).getDisableReason()).isEmpty();
    Task next = server.workers().pollTask(aPoll(worker).setNamespace(name).build()).getTasks(0);
    assertThat(next.getRunId()).isEqualTo(waiting.getRunId());
    assertThat(start(name).getAlreadyExists()).isFalse();
  }

  @Test
  void theDefaultNamespaceCannotBeDisabled() {
    assertThat(
            refusalOf(() ->
                server.namespaces().disableNamespace(DisableNamespaceRequest.getDefaultInstance())))
        .isEqualTo("INVALID_ARGUMENT INVALID_ARGUMENT");
    assertThat(get("default").getEnabled()).isTrue();
  }

  private Namespace get(String name) {
    return server
        .namespaces()
        .getNamespace(GetNamespaceRequest.newBuilder().setNamespace(name).build())
        .getNamespace();
  }

  private ListNamespacesResponse list(int size, String token) {
    return server
        .namespaces()
        .listNamespaces(
            ListNamespacesRequest.newBuilder()
                .setPageSize(size)
                .setPageToken(token)
                .setIncludeTotalCount(true)
                .build());
  }

  private String create() {
    return create("tenant-" + UUID.randomUUID());
  }

  private String create(String name) {
    return server
        .namespaces()
        .createNamespace(CreateNamespaceRequest.newBuilder().setNamespace(name).build())
        .getNamespace()
        .getNamespace();
  }

  private StartWorkflowResponse start(String namespace) {
    return server.workflows().startWorkflow(aStart().setNamespace(namespace).build());
  }
}
