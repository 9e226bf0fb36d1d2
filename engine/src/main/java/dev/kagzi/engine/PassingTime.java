package dev.kagzi.engine;

import dev.kagzi.engine.domain.Rest;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.store.RestStore;
import java.time.InstantSource;
import java.util.List;

/**
 * What the time brings to an {@linkplain Engine#atRest engine at rest}: whoever moves its time has
 * the engine catch up afterwards. Workers and leases are left alone; their heartbeats go by the
 * real time. Thread-safe.
 */
public final class PassingTime {

  private final Database database;
  private final InstantSource clock;
  private final List<Runnable> duties;
  private final RestStore store = new RestStore();

  PassingTime(Database database, InstantSource clock, List<Runnable> duties) {
    this.database = database;
    this.clock = clock;
    this.duties = List.copyOf(duties);
  }

  /** Does what is due by now, as timers and loops do elsewhere. */
  public void catchUp() {
    duties.forEach(Runnable::run);
  }

  /** Whether anything moves, and when the next thing falls due. */
  public Rest look() {
    return database.inTransaction(tx -> store.look(tx, clock.instant()));
  }
}
