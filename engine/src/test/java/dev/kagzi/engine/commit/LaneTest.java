package dev.kagzi.engine.commit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LaneTest {

  private static final int MAX_BATCH = 100;
  private static final Duration A_WHILE = Duration.ofMillis(100);
  private static final Duration LONG = Duration.ofSeconds(20);

  /** Batches in the order in which their writing began. */
  private final BlockingQueue<List<String>> begun = new LinkedBlockingQueue<>();

  private final Semaphore mayEnd = new Semaphore(0);
  private final Lane<Ticket<String>> lane =
      new Lane<>("test", MAX_BATCH, LONG, Ticket::command, this::write);

  private void write(List<Ticket<String>> batch) {
    begun.add(batch.stream().map(Ticket::command).toList());
    mayEnd.acquireUninterruptibly();
  }

  @AfterEach
  void close() {
    mayEnd.release(1000);
    lane.close();
  }

  @Test
  void whoComesAloneWaitsForNobody() throws Exception {
    for (int i = 0; i < 3; i++) {
      submit("alone");
      assertThat(begun.poll(A_WHILE.toMillis(), TimeUnit.MILLISECONDS)).containsExactly("alone");
      assertThat(nothingFor(A_WHILE)).isNull();
      mayEnd.release();
    }
  }

  @Test
  void waitsForAsManyAsTheLastCommitHadAndNotForOneMore() throws Exception {
    submit("first");
    assertThat(next()).containsExactly("first");
    submit("a", "b", "c");
    mayEnd.release();
    assertThat(next()).containsExactly("a", "b", "c");
    assertThat(nothingFor(A_WHILE.multipliedBy(20))).isNull(); // that is how long it may wait
    mayEnd.release();

    submit("a");
    assertThat(nothingFor(A_WHILE)).isNull();
    submit("b", "c");

    assertThat(begun.poll(A_WHILE.multipliedBy(10).toMillis(), TimeUnit.MILLISECONDS))
        .containsExactly("a", "b", "c");
  }

  @Test
  void waitsNoLongerThanTheLastCommitTook() throws Exception {
    submit("first");
    next();
    submit("a", "b");
    mayEnd.release();
    next();
    assertThat(nothingFor(A_WHILE)).isNull();
    mayEnd.release();

    submit("a");

    assertThat(next()).containsExactly("a");
  }

  private void submit(String... subjects) {
    for (String subject : subjects) {
      lane.submit(new Ticket<>(subject), 1);
    }
  }

  private List<String> next() throws InterruptedException {
    List<String> batch = begun.poll(LONG.toMillis() / 2, TimeUnit.MILLISECONDS);
    assertThat(batch).isNotNull();
    return batch;
  }

  private @Nullable List<String> nothingFor(Duration time) throws InterruptedException {
    return begun.poll(time.toMillis(), TimeUnit.MILLISECONDS);
  }
}
