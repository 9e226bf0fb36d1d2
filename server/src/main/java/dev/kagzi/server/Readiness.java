package dev.kagzi.server;

import dev.kagzi.engine.Engine;
import java.util.ArrayList;
import java.util.List;

/** Whether this server should be sent work. Thread-safe. */
final class Readiness {

  private final Engine engine;
  private volatile boolean draining;

  Readiness(Engine engine) {
    this.engine = engine;
  }

  /** From now on others shall do the work. */
  void drain() {
    draining = true;
  }

  /** What keeps the server from working now, each in words; empty if nothing does. */
  List<String> obstacles() {
    var obstacles = new ArrayList<String>();
    if (draining) {
      obstacles.add("the server is shutting down");
    }
    if (!engine.isDatabaseUp()) {
      obstacles.add("the database does not answer");
    }
    if (engine.isDatabaseFull()) {
      obstacles.add("the database's disk is full");
    }
    return List.copyOf(obstacles);
  }

  boolean isReady() {
    return obstacles().isEmpty();
  }
}
