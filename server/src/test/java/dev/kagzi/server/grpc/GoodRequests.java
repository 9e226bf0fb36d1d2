package dev.kagzi.server.grpc;

import static dev.kagzi.server.Wire.aPoll;
import static dev.kagzi.server.Wire.aStart;
import static dev.kagzi.server.Wire.aStep;
import static dev.kagzi.server.Wire.aWorker;
import static dev.kagzi.server.Wire.beginStep;
import static dev.kagzi.server.Wire.complete;
import static dev.kagzi.server.Wire.completeStep;
import static dev.kagzi.server.Wire.fail;
import static dev.kagzi.server.Wire.release;
import static dev.kagzi.server.Wire.seconds;
import static dev.kagzi.server.Wire.sleep;

import com.google.protobuf.Message;
import dev.kagzi.server.TestServer;
import dev.kagzi.server.grpc.WorkerFixture.Transport;
import dev.kagzi.v1.AddChildItemsRequest;
import dev.kagzi.v1.AwaitWorkflowRequest;
import dev.kagzi.v1.BatchOperation;
import dev.kagzi.v1.CancelBatchRequest;
import dev.kagzi.v1.CancelWorkflowRequest;
import dev.kagzi.v1.ChildItem;
import dev.kagzi.v1.ChildItems;
import dev.kagzi.v1.CountWorkflowsRequest;
import dev.kagzi.v1.CreateNamespaceRequest;
import dev.kagzi.v1.DeleteWorkflowRequest;
import dev.kagzi.v1.DeregisterRequest;
import dev.kagzi.v1.DisableNamespaceRequest;
import dev.kagzi.v1.DrainWorkerRequest;
import dev.kagzi.v1.EnableNamespaceRequest;
import dev.kagzi.v1.ErrorDetail;
import dev.kagzi.v1.Event;
import dev.kagzi.v1.ExplainWorkflowRequest;
import dev.kagzi.v1.FailStepRequest;
import dev.kagzi.v1.ForkWorkflowRequest;
import dev.kagzi.v1.GetBatchRequest;
import dev.kagzi.v1.GetHistoryRequest;
import dev.kagzi.v1.GetNamespaceRequest;
import dev.kagzi.v1.GetServerInfoRequest;
import dev.kagzi.v1.GetStateRequest;
import dev.kagzi.v1.GetStatsRequest;
import dev.kagzi.v1.GetStepRequest;
import dev.kagzi.v1.GetWorkerRequest;
import dev.kagzi.v1.GetWorkflowRequest;
import dev.kagzi.v1.HealthCheckRequest;
import dev.kagzi.v1.HeartbeatRequest;
import dev.kagzi.v1.HeldRun;
import dev.kagzi.v1.ListBatchesRequest;
import dev.kagzi.v1.ListChildResultsRequest;
import dev.kagzi.v1.ListNamespacesRequest;
import dev.kagzi.v1.ListQueuesRequest;
import dev.kagzi.v1.ListStepsRequest;
import dev.kagzi.v1.ListWorkersRequest;
import dev.kagzi.v1.ListWorkflowTypesRequest;
import dev.kagzi.v1.ListWorkflowsRequest;
import dev.kagzi.v1.PublishStateRequest;
import dev.kagzi.v1.RetryWorkflowRequest;
import dev.kagzi.v1.RunTemplate;
import dev.kagzi.v1.SendEventRequest;
import dev.kagzi.v1.SetDefaultVersionRequest;
import dev.kagzi.v1.StartBatchRequest;
import dev.kagzi.v1.StartChildRequest;
import dev.kagzi.v1.SuspendRequest;
import dev.kagzi.v1.Task;
import dev.kagzi.v1.UpdateNamespaceRequest;
import dev.kagzi.v1.Wait;
import dev.kagzi.v1.WaitKind;
import dev.kagzi.v1.WorkflowStatus;
import dev.kagzi.v1.WorkflowTypeVersion;
import java.util.Set;
import java.util.UUID;

/**
 * For each method a request that is carried out: about a run that exists, and that is held where
 * the method asks for it.
 */
public record GoodRequests(TestServer server) {

  private static final String NOBODYS_QUEUE = "nobody";

  /** After these the run or worker of a request can no longer be used for another one. */
  private static final Set<String> USED_UP =
      Set.of(
          "CancelWorkflow",
          "DeleteWorkflow",
          "RetryWorkflow",
          "Deregister",
          "DrainWorker",
          "CompleteWorkflow",
          "FailWorkflow",
          "ReleaseTask",
          "Sleep",
          "Suspend");

  public static boolean isUsedUp(String method) {
    return USED_UP.contains(method);
  }

  public Message request(String method) {
    return switch (method) {
      case "StartWorkflow" -> aStart().setTaskQueue(NOBODYS_QUEUE).build();
      case "GetWorkflow" -> GetWorkflowRequest.newBuilder().setRunId(runId()).build();
      case "CancelWorkflow" -> CancelWorkflowRequest.newBuilder().setRunId(runId()).build();
      case "DeleteWorkflow" -> DeleteWorkflowRequest.newBuilder().setRunId(endedRunId()).build();
      case "AwaitWorkflow" ->
          AwaitWorkflowRequest.newBuilder().setRunId(endedRunId()).setWait(seconds(0)).build();
      case "ListWorkflows" -> ListWorkflowsRequest.newBuilder().setPageSize(1).build();
      case "SendEvent" ->
          SendEventRequest.newBuilder()
              .setRunId(runId())
              .setEvent(Event.newBuilder().setName("approved"))
              .build();
      case "GetState" -> GetStateRequest.newBuilder().setRunId(runId()).build();
      case "CountWorkflows" -> CountWorkflowsRequest.getDefaultInstance();
      case "RetryWorkflow" -> RetryWorkflowRequest.newBuilder().setRunId(failedRunId()).build();
      case "ForkWorkflow" -> ForkWorkflowRequest.newBuilder().setRunId(runId()).build();
      case "StartBatch" -> aBatch();
      case "GetBatch" -> GetBatchRequest.newBuilder().setBatchId(batchId()).build();
      case "ListBatches" -> ListBatchesRequest.newBuilder().setPageSize(1).build();
      case "CancelBatch" -> CancelBatchRequest.newBuilder().setBatchId(batchId()).build();
      case "ListWorkflowTypes" -> ListWorkflowTypesRequest.newBuilder().setPageSize(1).build();
      case "SetDefaultVersion" -> aDefaultVersion();
      case "ExplainWorkflow" -> ExplainWorkflowRequest.newBuilder().setRunId(runId()).build();
      case "ListSteps" -> ListStepsRequest.newBuilder().setRunId(runId()).setPageSize(1).build();
      case "HealthCheck" -> HealthCheckRequest.getDefaultInstance();
      case "GetServerInfo" -> GetServerInfoRequest.getDefaultInstance();
      case "ListQueues" -> ListQueuesRequest.newBuilder().setPageSize(1).build();
      case "GetStats" -> GetStatsRequest.getDefaultInstance();
      case "CreateNamespace" ->
          CreateNamespaceRequest.newBuilder().setNamespace(freshNamespace()).build();
      case "GetNamespace" -> GetNamespaceRequest.newBuilder().setNamespace(namespace()).build();
      case "ListNamespaces" -> ListNamespacesRequest.newBuilder().setPageSize(1).build();
      case "UpdateNamespace" ->
          UpdateNamespaceRequest.newBuilder().setNamespace(namespace()).build();
      case "EnableNamespace" ->
          EnableNamespaceRequest.newBuilder().setNamespace(namespace()).build();
      case "DisableNamespace" ->
          DisableNamespaceRequest.newBuilder().setNamespace(namespace()).build();
      case "ListWorkers" -> ListWorkersRequest.newBuilder().setPageSize(1).build();
      case "GetWorker" -> GetWorkerRequest.newBuilder().setWorkerId(workerId()).build();
      case "DrainWorker" -> DrainWorkerRequest.newBuilder().setWorkerId(workerId()).build();
      case "Register" -> aWorker().build();
      case "Deregister" -> DeregisterRequest.newBuilder().setWorkerId(workerId()).build();
      case "Heartbeat" ->
          HeartbeatRequest.newBuilder()
              .setWorkerId(workerId())
              .addRuns(HeldRun.newBuilder().setRunId(runId()).setLeaseEpoch(1))
              .build();
      case "PollTask" -> aPoll(workerId()).setWait(seconds(0)).build();
      default -> method.contains("Schedule") ? aboutASchedule(method) : aboutATask(method);
    };
  }

  private Message aboutASchedule(String method) {
    return new GoodSchedules(server).request(method);
  }

  private Message aboutATask(String method) {
    var fixture = new WorkerFixture(server, Transport.UNARY);
    var unused = fixture.start();
    Task task = fixture.claim();
    String worker = fixture.workerId();
    return switch (method) {
      case "GetHistory" ->
          GetHistoryRequest.newBuilder()
              .setRunId(task.getRunId())
              .setLeaseEpoch(task.getLeaseEpoch())
              .setWorkerId(worker)
              .build();
      case "BeginStep" -> beginStep(task, worker, "charge");
      case "GetStep" -> aStepOf(task, worker);
      case "CompleteStep" -> completeStep(task, worker, "charge", "1");
      case "FailStep" -> failStep(task, worker);
      case "CompleteWorkflow" -> complete(task, worker, "1");
      case "FailWorkflow" -> fail(task, worker).build();
      case "PublishState" ->
          PublishStateRequest.newBuilder()
              .setRunId(task.getRunId())
              .setLeaseEpoch(task.getLeaseEpoch())
              .setWorkerId(worker)
              .setName("progress")
              .setSequence(1)
              .build();
      case "ReleaseTask" -> release(task, worker);
      case "Sleep" -> sleep(task, worker, seconds(60));
      case "Suspend" -> suspend(task, worker);
      case "StartChild" -> startChild(task, worker).build();
      case "AddChildItems" -> addChildItems(task, worker);
      case "ListChildResults" ->
          ListChildResultsRequest.newBuilder()
              .setRunId(task.getRunId())
              .setLeaseEpoch(task.getLeaseEpoch())
              .setWorkerId(worker)
              .setStepKey("ship")
              .build();
      default -> throw new AssertionError("no good request is known for " + method);
    };
  }

  private static FailStepRequest failStep(Task task, String worker) {
    return FailStepRequest.newBuilder()
        .setRunId(task.getRunId())
        .setLeaseEpoch(task.getLeaseEpoch())
        .setWorkerId(worker)
        .setStep(aStep("charge"))
        .setError(ErrorDetail.newBuilder().setMessage("refused"))
        .build();
  }

  private static SuspendRequest suspend(Task task, String worker) {
    return SuspendRequest.newBuilder()
        .setRunId(task.getRunId())
        .setLeaseEpoch(task.getLeaseEpoch())
        .setWorkerId(worker)
        .addWaits(
            Wait.newBuilder()
                .setStep(aStep("nap").setKind(dev.kagzi.v1.StepKind.STEP_KIND_SLEEP))
                .setKind(WaitKind.WAIT_KIND_TIMER)
                .setDuration(seconds(60)))
        .setRelease(true)
        .build();
  }

  private static StartChildRequest.Builder startChild(Task task, String worker) {
    return StartChildRequest.newBuilder()
        .setRunId(task.getRunId())
        .setLeaseEpoch(task.getLeaseEpoch())
        .setWorkerId(worker)
        .setStep(aStep("ship").setKind(dev.kagzi.v1.StepKind.STEP_KIND_CHILD_WORKFLOW))
        .setChild(RunTemplate.newBuilder().setWorkflowType(task.getWorkflowType()));
  }

  /** Begins the fan-out that gets more items. */
  private AddChildItemsRequest addChildItems(Task task, String worker) {
    var unused =
        server
            .workers()
            .startChild(startChild(task, worker).setItems(ChildItems.getDefaultInstance()).build());
    return AddChildItemsRequest.newBuilder()
        .setRunId(task.getRunId())
        .setLeaseEpoch(task.getLeaseEpoch())
        .setWorkerId(worker)
        .setStepKey("ship")
        .setItems(ChildItems.newBuilder().addItems(ChildItem.getDefaultInstance()))
        .build();
  }

  /** Of a type of its own, because the other requests rely on the default of theirs. */
  private SetDefaultVersionRequest aDefaultVersion() {
    var type = WorkflowTypeVersion.newBuilder().setWorkflowType("versioned");
    var unused =
        server
            .workers()
            .register(aWorker().setTaskQueue(NOBODYS_QUEUE).clearTypes().addTypes(type).build());
    return SetDefaultVersionRequest.newBuilder()
        .setWorkflowType("versioned")
        .setVersion("2")
        .build();
  }

  private StartBatchRequest aBatch() {
    return StartBatchRequest.newBuilder()
        .setOperation(BatchOperation.BATCH_OPERATION_CANCEL)
        .addRunIds(runId())
        .build();
  }

  private String batchId() {
    return server.workflows().startBatch(aBatch()).getBatch().getBatchId();
  }

  private String failedRunId() {
    var fixture = new WorkerFixture(server, Transport.UNARY);
    var unused = fixture.start();
    Task task = fixture.claim();
    var failed = server.workers().failWorkflow(fail(task, fixture.workerId()).build());
    return failed.getStatus() == WorkflowStatus.WORKFLOW_STATUS_FAILED ? task.getRunId() : "";
  }

  private static String freshNamespace() {
    return "tenant-" + UUID.randomUUID();
  }

  /** An empty namespace of its own. */
  String namespace() {
    return server
        .namespaces()
        .createNamespace(CreateNamespaceRequest.newBuilder().setNamespace(freshNamespace()).build())
        .getNamespace()
        .getNamespace();
  }

  String workerId() {
    return server.workers().register(aWorker().build()).getWorkerId();
  }

  private Message aStepOf(Task task, String worker) {
    var unused = server.workers().completeStep(completeStep(task, worker, "charge", "1"));
    return GetStepRequest.newBuilder().setRunId(task.getRunId()).setStepKey("charge").build();
  }

  private String runId() {
    return server
        .workflows()
        .startWorkflow(aStart().setTaskQueue(NOBODYS_QUEUE).build())
        .getRunId();
  }

  private String endedRunId() {
    String runId = runId();
    var unused =
        server
            .workflows()
            .cancelWorkflow(CancelWorkflowRequest.newBuilder().setRunId(runId).build());
    return runId;
  }
}
