package dev.kagzi.engine.interleaving;

import dev.kagzi.engine.jdbc.Database;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

/** One side of a race: a server of its own, that does nothing but what it is told to. */
final class Actor implements AutoCloseable {

  private final String name;
  private final Gate gate = new Gate();
  private final AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);
  private final GatedDataSource source;
  private final Bench bench;
  private CompletableFuture<Answer> answer = new CompletableFuture<>();

  Actor(String name, String url, Database plain) throws SQLException {
    this.name = name;
    this.source = new GatedDataSource(url, gate);
    this.bench =
        new Bench(new Database(source.dataSource()), plain, () -> Director.now().plus(ahead.get()));
  }

  /** From now on its clock is this much ahead of the others'. */
  void isAhead(Duration time) {
    ahead.set(time);
  }

  Bench bench() {
    return bench;
  }

  String name() {
    return name;
  }

  int backend() {
    return source.backend();
  }

  int deadlocks() {
    return source.deadlocks();
  }

  /** Begins, and stops before its first statement. */
  void begin(Callable<?> act) {
    gate.shut();
    CompletableFuture<Answer> begun = new CompletableFuture<>();
    answer = begun;
    Thread.ofVirtual()
        .name("actor-" + name)
        .start(() -> {
          begun.complete(answerOf(act));
          gate.leave();
        });
  }

  private static Answer answerOf(Callable<?> act) {
    try {
      return new Answer(act.call(), null);
    } catch (Exception | Error failure) {
      return new Answer(null, failure);
    }
  }

  boolean isDone() {
    return gate.isForsaken();
  }

  Answer answer() {
    return answer.join();
  }

  /** Whether it stands before a statement and can be let through. */
  boolean isReady() {
    return !isDone() && gate.isReached();
  }

  /** Whether it has come to its next statement or its end, after at most a moment. */
  boolean hasStoppedWithin(long millis) {
    return gate.isQuietWithin(millis);
  }

  /** Lets it do its next statement; which one. */
  String proceed() {
    return name + ": " + gate.release();
  }

  /** Lets it do whatever it still wants to. */
  void letGo() {
    gate.open();
  }

  @Override
  public void close() throws SQLException {
    letGo();
    bench.close();
    source.close();
  }
}
