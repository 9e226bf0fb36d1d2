package dev.kagzi.bench.kagzi;

import com.google.common.util.concurrent.FutureCallback;
import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.MoreExecutors;
import com.google.protobuf.ByteString;
import com.google.rpc.RetryInfo;
import dev.kagzi.v1.Payload;
import dev.kagzi.v1.StartWorkflowRequest;
import dev.kagzi.v1.StartWorkflowResponse;
import dev.kagzi.v1.WorkflowServiceGrpc;
import dev.kagzi.v1.WorkflowServiceGrpc.WorkflowServiceFutureStub;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.protobuf.StatusProto;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Starts that come at a rate of their own, however the server answers, from somebody who does not
 * hold back as the SDK does; counts the answers.
 */
public final class StartFlood implements AutoCloseable {
  private static final int DEADLINE_SECONDS = 10;

  /** More calls than this at once would measure the memory of this process. */
  private static final int MOST_IN_FLIGHT = 50_000;

  /**
   * A server takes ten thousand calls at once on a connection, and what is more waits in the client
   * without being refused: a flood comes from many.
   */
  private static final int CONNECTIONS = 10;

  private final List<ManagedChannel> channels = new ArrayList<>();
  private final List<WorkflowServiceFutureStub> stubs = new ArrayList<>();
  private final StartWorkflowRequest request;
  private final LongAdder offered = new LongAdder();
  private final LongAdder accepted = new LongAdder();
  private final LongAdder exhaustedWithRetry = new LongAdder();
  private final LongAdder exhausted = new LongAdder();
  private final LongAdder tooLate = new LongAdder();
  private final LongAdder others = new LongAdder();
  private final Semaphore inFlight = new Semaphore(MOST_IN_FLIGHT);

  /** A flood of workflows of so many steps. */
  public StartFlood(String address, String queue, int steps) {
    for (int i = 0; i < CONNECTIONS; i++) {
      var channel = NettyChannelBuilder.forTarget(address).usePlaintext().build();
      channels.add(channel);
      stubs.add(WorkflowServiceGrpc.newFutureStub(channel));
    }
    this.request =
        StartWorkflowRequest.newBuilder()
            .setWorkflowType(new BenchTypes(queue).steps().name())
            .setTaskQueue(queue)
            .setInput(
                Payload.newBuilder().setData(ByteString.copyFromUtf8(Integer.toString(steps))))
            .build();
  }

  /** Goes on for so many seconds with so many starts in each, and waits for the last answers. */
  public Map<String, Double> run(int seconds, int perSecond) throws InterruptedException {
    long began = System.nanoTime();
    long length = TimeUnit.SECONDS.toNanos(seconds);
    long sent = 0;
    for (long now = 0; now < length; now = System.nanoTime() - began) {
      long due = (long) (now / 1e9 * perSecond);
      for (; sent < due && System.nanoTime() - began < length; sent++) {
        offer(stubs.get((int) (sent % CONNECTIONS)));
      }
      Thread.sleep(1);
    }
    var figures = new LinkedHashMap<String, Double>();
    figures.put("seconds", (System.nanoTime() - began) / 1e9);
    awaitAnswers();
    figures.put("offered", (double) offered.sum());
    figures.put("accepted", (double) accepted.sum());
    figures.put("resource_exhausted_with_retry_info", (double) exhaustedWithRetry.sum());
    figures.put("resource_exhausted_without_retry_info", (double) exhausted.sum());
    figures.put("deadline_exceeded", (double) tooLate.sum());
    figures.put("other_failures", (double) others.sum());
    figures.put("unanswered", (double) (MOST_IN_FLIGHT - inFlight.availablePermits()));
    return figures;
  }

  private void awaitAnswers() throws InterruptedException {
    if (inFlight.tryAcquire(MOST_IN_FLIGHT, 2L * DEADLINE_SECONDS, TimeUnit.SECONDS)) {
      inFlight.release(MOST_IN_FLIGHT);
    }
  }

  private void offer(WorkflowServiceFutureStub stub) throws InterruptedException {
    inFlight.acquire();
    offered.increment();
    var answer = stub.withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS).startWorkflow(request);
    Futures.addCallback(answer, new Count(), MoreExecutors.directExecutor());
  }

  private final class Count implements FutureCallback<StartWorkflowResponse> {
    @Override
    public void onSuccess(StartWorkflowResponse response) {
      inFlight.release();
      accepted.increment();
    }

    @Override
    public void onFailure(Throwable refusal) {
      inFlight.release();
      var code = Status.fromThrowable(refusal).getCode();
      if (code == Status.Code.DEADLINE_EXCEEDED) {
        tooLate.increment();
      } else if (code != Status.Code.RESOURCE_EXHAUSTED) {
        others.increment();
      } else if (saysWhenToRetry(refusal)) {
        exhaustedWithRetry.increment();
      } else {
        exhausted.increment();
      }
    }
  }

  private static boolean saysWhenToRetry(Throwable refusal) {
    var status = StatusProto.fromThrowable(refusal);
    return status != null
        && status.getDetailsList().stream().anyMatch(detail -> detail.is(RetryInfo.class));
  }

  @Override
  public void close() {
    channels.forEach(ManagedChannel::shutdownNow);
  }
}
