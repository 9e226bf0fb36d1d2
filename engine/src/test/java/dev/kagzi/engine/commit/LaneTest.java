package dev.kagzi.engine.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.ErrorCode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LaneTest {

  private static final int MAX_BATCH = 100;
  private static final Duration A_WHILE = Duration.ofMillis(100);
  private static final Duration LONG = Duration.ofSeconds(20);

  /** Batches in the order in which their writing began. */
  private final BlockingQueue<List<String>> begun = new LinkedBlockingQueue<>();

  private final BlockingQueue<List<String>> ended = new LinkedBlockingQueue<>();
  private final Semaphore mayEnd = new Semaphore(0);
  private int number;
  private final Lane<Ticket<String>> lane =
      new Lane<>("test", MAX_BATCH, LONG, Ticket::command, this::write);

  private void write(List<Ticket<String>> batch) {
    List<String> commands = batch.stream().map(Ticket::command).toList();
    begun.add(commands);
    mayEnd.acquireUninterruptibly();
    ended.add(commands);
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

  @Test
  void aCallerWritesHimselfWhereNobodyIs() {
    var writer = new AtomicReference<Thread>();
    try (var quick = lane(batch -> writer.set(Thread.currentThread()))) {
      assertThat(quick.writeHere(new Ticket<>("own"))).isTrue();
    }

    assertThat(writer).hasValue(Thread.currentThread());
  }

  @Test
  void aCallerLeavesTheWritingToTheLaneWhileItWrites() throws Exception {
    submit("first");
    next();

    assertThat(lane.writeHere(new Ticket<>("second"))).isFalse();

    mayEnd.release(2);
    await().until(() -> lane.writeHere(new Ticket<>("third")));
  }

  @Test
  void theLaneWaitsWhileACallerWrites() throws Exception {
    Thread caller = Thread.ofPlatform().start(() -> lane.writeHere(new Ticket<>("own")));
    assertThat(next()).containsExactly("own");

    submit("behind");

    assertThat(nothingFor(A_WHILE)).isNull();
    assertThat(lane.writeHere(new Ticket<>("beside"))).isFalse();
    mayEnd.release();
    assertThat(next()).containsExactly("behind");
    caller.join();
  }

  @Test
  void callersFindAClosedLaneClosedAndAreAwaited() throws Exception {
    Thread.ofPlatform().start(() -> lane.writeHere(new Ticket<>("own")));
    next();
    Thread closer = Thread.ofPlatform().start(lane::close);

    closer.join(A_WHILE);
    assertThat(closer.isAlive()).isTrue();
    mayEnd.release();
    closer.join();

    assertThat(ended).containsExactly(List.of("own"));
    assertThat(lane.writeHere(new Ticket<>("late"))).isFalse();
    assertThat(begun).isEmpty();
  }

  @Test
  void aCallerSurvivesAFaultOfTheWriter() {
    var ticket = new Ticket<>("own");
    try (var broken =
        lane(batch -> {
          throw new IllegalStateException("broken");
        })) {
      assertThat(broken.writeHere(ticket)).isTrue();
    }

    assertThat(ticket.answer()).isCompletedExceptionally();
  }

  private static Lane<Ticket<String>> lane(Consumer<List<Ticket<String>>> writer) {
    return new Lane<>("test", MAX_BATCH, LONG, Ticket::command, writer);
  }

  @Test
  void newWorkThatWouldWaitLongIsRefusedAndResultsAreNot() throws Exception {
    submit("first");
    next();
    submitMany(MAX_BATCH);
    mayEnd.release();
    next();
    assertThat(nothingFor(A_WHILE.multipliedBy(11))).isNull(); // that is how slow it is today
    submitMany(MAX_BATCH);
    mayEnd.release();
    next();

    submitMany(MAX_BATCH);
    lane.submit(new Ticket<>("not long"), 0.5);
    submitMany(MAX_BATCH);

    assertThatThrownBy(() -> lane.submit(new Ticket<>("new"), 0.5))
        .isInstanceOfSatisfying(
            EngineException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.OVERLOADED));
    lane.submit(new Ticket<>("result"), 1);
  }

  private void submitMany(int count) {
    for (int i = 0; i < count; i++) {
      submit("subject " + i + " of " + number++);
    }
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
