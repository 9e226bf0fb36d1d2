package dev.kagzi.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.kagzi.v1.WorkReply;
import dev.kagzi.v1.WorkResponse;
import io.grpc.stub.ServerCallStreamObserver;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Replies on a stream that ends while they are written. */
class ReplyWriterTest {

  @Test
  void whoeverEndsTheStreamWaitsForTheFrameThatIsBeingWritten() throws InterruptedException {
    SlowSink sink = new SlowSink();
    AtomicInteger lost = new AtomicInteger();
    var writer =
        new ReplyWriter<>(
            new WorkFrames(), sink, Thread::startVirtualThread, written -> {}, () -> {});
    add(writer, lost);
    sink.begun.await();

    Thread closing = Thread.ofPlatform().start(writer::close);
    await().until(() -> closing.getState() == Thread.State.WAITING || !closing.isAlive());
    assertThat(closing.isAlive()).isTrue();
    sink.go.countDown();
    closing.join();

    add(writer, lost);
    assertThat(sink.frames).hasValue(1);
    assertThat(lost).hasValue(1);
  }

  private static void add(ReplyWriter<WorkReply, WorkResponse> writer, AtomicInteger lost) {
    writer.keep(1, WorkReply.newBuilder().setCorrelationId(1).build(), lost::incrementAndGet);
    writer.wake();
  }

  /** Takes its time over every frame. */
  private static final class SlowSink extends ServerCallStreamObserver<WorkResponse> {
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch go = new CountDownLatch(1);
    private final AtomicInteger frames = new AtomicInteger();

    @Override
    public void onNext(WorkResponse frame) {
      frames.incrementAndGet();
      begun.countDown();
      try {
        go.await();
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public boolean isReady() {
      return true;
    }

    @Override
    public boolean isCancelled() {
      return false;
    }

    @Override
    public void setOnCancelHandler(Runnable handler) {}

    @Override
    public void setOnReadyHandler(Runnable handler) {}

    @Override
    public void setCompression(String compression) {}

    @Override
    public void disableAutoInboundFlowControl() {}

    @Override
    public void request(int count) {}

    @Override
    public void setMessageCompression(boolean enable) {}

    @Override
    public void onError(Throwable failure) {}

    @Override
    public void onCompleted() {}
  }
}
