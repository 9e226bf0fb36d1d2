package dev.kagzi.engine.interleaving;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** Lets two actors take turns, statement by statement, in an order that somebody else decides. */
final class Stage implements AutoCloseable {

  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

  private final List<Actor> actors;
  private final Connection watching;
  private final PreparedStatement waitsFor;

  Stage(String url, Actor first, Actor second) throws SQLException {
    this.actors = List.of(first, second);
    this.watching = DriverManager.getConnection(url);
    this.waitsFor = watching.prepareStatement("SELECT ? = ANY(pg_blocking_pids(?))");
  }

  /** What happened, line by line. */
  List<String> play(Callable<?> first, Callable<?> second, Orders orders) throws SQLException {
    List<String> story = new ArrayList<>();
    actors.get(0).begin(first);
    actors.get(1).begin(second);
    settle(actors.get(0), story);
    settle(actors.get(1), story);
    try {
      while (!actors.stream().allMatch(Actor::isDone)) {
        List<Actor> ready = actors.stream().filter(Actor::isReady).toList();
        if (ready.isEmpty()) {
          throw new AssertionError("both wait for each other after " + story);
        }
        Actor next = ready.size() == 1 ? ready.get(0) : ready.get(orders.choose(ready.size()));
        story.add(next.proceed());
        settle(next, story);
        settle(other(next), story);
      }
    } finally {
      actors.forEach(Actor::letGo);
    }
    return story;
  }

  private Actor other(Actor actor) {
    return actors.get(0) == actor ? actors.get(1) : actors.get(0);
  }

  /** Waits until the actor stands at its gate, is done, or waits for a lock that the other has. */
  private void settle(Actor actor, List<String> story) throws SQLException {
    long giveUpAt = System.nanoTime() + PATIENCE_NANOS;
    while (!actor.hasStoppedWithin(1)) {
      if (isHeldUpBy(actor, other(actor))) {
        story.add(actor.name() + " waits");
        return;
      }
      if (System.nanoTime() - giveUpAt > 0) {
        throw new AssertionError(actor.name() + " neither stops nor waits after " + story);
      }
    }
  }

  private boolean isHeldUpBy(Actor actor, Actor other) throws SQLException {
    waitsFor.setInt(1, other.backend());
    waitsFor.setInt(2, actor.backend());
    try (ResultSet row = waitsFor.executeQuery()) {
      row.next();
      return row.getBoolean(1);
    }
  }

  @Override
  public void close() throws SQLException {
    watching.close();
  }
}
