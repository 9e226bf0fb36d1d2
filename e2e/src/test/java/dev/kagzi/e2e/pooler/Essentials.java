package dev.kagzi.e2e.pooler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.kagzi.sdk.EventType;
import dev.kagzi.sdk.RunStatus;
import dev.kagzi.sdk.WorkflowContext;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.KagziClient;
import dev.kagzi.sdk.client.WorkflowHandle;
import dev.kagzi.sdk.worker.WorkerBuilder;
import dev.kagzi.v1.BatchOperation;
import dev.kagzi.v1.BatchStatus;
import dev.kagzi.v1.GetBatchRequest;
import dev.kagzi.v1.StartBatchRequest;
import dev.kagzi.v1.WorkflowFilter;
import dev.kagzi.v1.WorkflowServiceGrpc;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/** A little of everything that Kagzi does, seen by a client. */
record Essentials(KagziClient client) {
  static final String QUEUE = "essentials";

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int CHILDREN = 5;
  private static final int BATCHED = 10;
  private static final EventType<String> WORD = EventType.of("word", String.class);
  private static final WorkflowType<String, String> STEPS = type("steps");
  private static final WorkflowType<String, String> WAITING = type("waiting");
  private static final WorkflowType<String, String> PARENT = type("parent");
  private static final WorkflowType<String, String> ECHO = type("echo");

  private static WorkflowType<String, String> type(String name) {
    return WorkflowType.of(name, String.class, String.class);
  }

  static WorkerBuilder register(WorkerBuilder worker) {
    return worker
        .register(STEPS, Essentials::takeSteps)
        .register(WAITING, (ctx, in) -> in + ctx.waitFor(WORD))
        .register(PARENT, Essentials::haveChildren)
        .register(ECHO, (ctx, in) -> in);
  }

  private static String takeSteps(WorkflowContext ctx, String in) {
    String one = ctx.step("one", String.class, () -> in + "1");
    ctx.sleep("nap", Duration.ofMillis(500));
    return ctx.step("two", String.class, () -> one + "2");
  }

  private static String haveChildren(WorkflowContext ctx, String in) {
    var children =
        IntStream.range(0, CHILDREN)
            .mapToObj(number -> ctx.child(ECHO).input(in + number).start())
            .toList();
    return String.join(" ", ctx.<String>all(children));
  }

  private WorkflowHandle<String> start(WorkflowType<String, String> type, String input) {
    return client.start(type).input(input).queue(QUEUE).send();
  }

  void stepsAndSleep() throws Exception {
    assertThat(start(STEPS, "0").result(PATIENCE)).isEqualTo("012");
  }

  void event() throws Exception {
    var run = start(WAITING, "said: ");
    await().atMost(PATIENCE).until(() -> run.status() == RunStatus.SLEEPING);
    client.send(run.runId(), WORD, "yes");
    assertThat(run.result(PATIENCE)).isEqualTo("said: yes");
  }

  void children() throws Exception {
    assertThat(start(PARENT, "c").result(PATIENCE)).isEqualTo("c0 c1 c2 c3 c4");
  }

  void schedule() throws Exception {
    var schedules = client.schedules();
    schedules.create(ECHO, "* * * * * *").name("tick").queue(QUEUE).input("tick").send();
    var last =
        await()
            .atMost(PATIENCE)
            .until(() -> schedules.get("tick").lastRunId(), id -> id.isPresent());
    assertThat(client.handle(last.orElseThrow(), String.class).result(PATIENCE)).isEqualTo("tick");
    assertThat(schedules.delete("tick")).isTrue();
  }

  /** Cancels in bulk what would wait for ever. */
  void batch(String address) {
    List<WorkflowHandle<String>> runs =
        IntStream.range(0, BATCHED).mapToObj(number -> start(WAITING, "")).toList();
    ManagedChannel channel =
        Grpc.newChannelBuilder(address, InsecureChannelCredentials.create()).build();
    try {
      var server = WorkflowServiceGrpc.newBlockingStub(channel);
      var batch =
          server.startBatch(
              StartBatchRequest.newBuilder()
                  .setOperation(BatchOperation.BATCH_OPERATION_CANCEL)
                  .setFilter(WorkflowFilter.newBuilder().addWorkflowTypes(WAITING.name()))
                  .build());
      var asked = GetBatchRequest.newBuilder().setBatchId(batch.getBatch().getBatchId()).build();
      await()
          .atMost(PATIENCE)
          .until(() ->
              server.getBatch(asked).getBatch().getStatus() == BatchStatus.BATCH_STATUS_COMPLETED);
      assertThat(runs).allMatch(run -> run.status() == RunStatus.CANCELLED);
    } finally {
      channel.shutdownNow();
    }
  }

  /** From a start at one server to its result, which a worker of the other one made. */
  Duration wakeUp() throws Exception {
    long began = System.nanoTime();
    assertThat(start(ECHO, "").result(PATIENCE)).isEmpty();
    return Duration.ofNanos(System.nanoTime() - began);
  }
}
