package dev.kagzi.sdk.internal;

import dev.kagzi.v1.WorkCall;
import dev.kagzi.v1.WorkHello;
import dev.kagzi.v1.WorkReply;
import dev.kagzi.v1.WorkRequest;
import dev.kagzi.v1.WorkResponse;
import dev.kagzi.v1.WorkerServiceGrpc;
import io.grpc.MethodDescriptor;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The frames of a {@code Work} stream, of which the first introduces the worker. */
final class WorkFrames implements Frames<WorkCall, WorkReply, WorkRequest, WorkResponse> {

  private final Consumer<WorkResponse> news;

  /** What is said with the first frame; nothing once it is said. */
  private volatile @Nullable WorkHello hello;

  WorkFrames(WorkHello hello, Consumer<WorkResponse> news) {
    this.hello = hello;
    this.news = news;
  }

  @Override
  public String name() {
    return "work";
  }

  @Override
  public MethodDescriptor<WorkRequest, WorkResponse> method() {
    return WorkerServiceGrpc.getWorkMethod();
  }

  @Override
  public boolean hasGreeting() {
    return hello != null;
  }

  @Override
  public WorkRequest of(List<WorkCall> calls, boolean senderWaits) {
    var frame = WorkRequest.newBuilder().addAllCalls(calls).setSenderWaits(senderWaits);
    WorkHello first = hello;
    if (first != null) {
      frame.setHello(first);
      hello = null;
    }
    return frame.build();
  }

  @Override
  public List<WorkReply> replies(WorkResponse frame) {
    return frame.getRepliesList();
  }

  @Override
  public long correlationId(WorkReply reply) {
    return reply.getCorrelationId();
  }

  /** Who has a reply goes on, and so does every run that is handed out. */
  @Override
  public int comingBack(WorkResponse frame) {
    int coming = frame.getRepliesCount();
    for (WorkReply reply : frame.getRepliesList()) {
      coming += reply.getPollTask().getTasksCount();
    }
    return coming;
  }

  @Override
  public void heard(WorkResponse frame) {
    if (frame.getEndedWaitsCount() > 0) {
      news.accept(frame);
    }
  }
}
