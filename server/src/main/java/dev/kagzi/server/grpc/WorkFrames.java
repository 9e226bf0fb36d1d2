package dev.kagzi.server.grpc;

import dev.kagzi.v1.RunNews;
import dev.kagzi.v1.WorkReply;
import dev.kagzi.v1.WorkResponse;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.LinkedBlockingQueue;

/** Frames for a worker: replies, and news of its runs that nobody asked for. Thread-safe. */
final class WorkFrames implements Frames<WorkReply, WorkResponse> {

  /** News beyond this is lost, as all news may be. */
  private static final int MAX_NEWS = 10_000;

  private static final int MAX_NEWS_IN_FRAME = 500;

  private final Queue<RunNews> news = new LinkedBlockingQueue<>(MAX_NEWS);

  /** Keeps news for the next frame; returns false if too much of it waits. */
  boolean tell(RunNews something) {
    return news.offer(something);
  }

  @Override
  public WorkReply refusal(long correlationId, Throwable failure) {
    return WorkReply.newBuilder()
        .setCorrelationId(correlationId)
        .setError(ErrorMapper.toStatus(failure))
        .build();
  }

  @Override
  public WorkResponse of(List<WorkReply> replies) {
    var frame = WorkResponse.newBuilder().addAllReplies(replies);
    RunNews next;
    while (frame.getEndedWaitsCount() < MAX_NEWS_IN_FRAME && (next = news.poll()) != null) {
      frame.addEndedWaits(next);
    }
    return frame.build();
  }

  @Override
  public boolean hasNews() {
    return !news.isEmpty();
  }
}
