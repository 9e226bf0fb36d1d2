package dev.kagzi.engine.operation;

import dev.kagzi.engine.domain.QueueKey;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.Telemetry;
import dev.kagzi.engine.domain.TypeVersion;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.store.ClaimStore.Slot;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** The claim of a server for a worker, once and without the waiting around it. */
public final class OneClaim {

  private final Claims claims;

  public OneClaim(Database database, InstantSource clock, Duration lease) {
    this.claims = new Claims(database, clock, lease, Telemetry.NONE);
  }

  /** Claims one run of a type, if one is due. */
  public List<Task> claim(QueueKey queue, TypeVersion type, WorkerId worker) {
    List<Slot> slots = List.of(new Slot(worker, UUID.randomUUID()));
    Claims.Demand demand = new Claims.Demand(queue, List.of(type), slots, Set.of());
    return claims.claim(demand, new ScanFloors()).tasks().values().stream()
        .flatMap(Collection::stream)
        .toList();
  }
}
