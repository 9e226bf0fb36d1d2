package dev.kagzi.engine.operation;

import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.Tally;
import dev.kagzi.engine.domain.Telemetry;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.ClaimStore.Assignment;
import dev.kagzi.engine.store.ClaimStore.Slot;
import dev.kagzi.engine.wakeup.Handoff;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The short way of a server to a worker, without the waiting around it. */
public final class OneHandoff implements Handoff {

  private final Claims claims;
  private volatile @Nullable WorkerId waiting;

  public OneHandoff(Database database, InstantSource clock, Duration lease) {
    this.claims = new Claims(database, clock, lease, Telemetry.NONE);
  }

  /** Does something while a worker waits for whatever is started by it. */
  public <T> T whileWaits(WorkerId worker, Callable<T> act) throws Exception {
    waiting = worker;
    try {
      return act.call();
    } finally {
      waiting = null;
    }
  }

  @Override
  public Offer offer() {
    WorkerId worker = waiting;
    return worker == null ? TO_NOBODY.offer() : new ToOne(claims, worker);
  }

  private record ToOne(Claims claims, WorkerId worker) implements Offer {

    @Override
    public void begin() {}

    @Override
    public Set<RunId> claim(Transaction tx, List<Born> runs, Tally tally, Instant now) {
      Slot slot = new Slot(worker, UUID.randomUUID());
      List<Assignment> assignments =
          runs.stream().map(born -> new Assignment(born.run().runId(), slot)).toList();
      return claims.claimNew(tx, assignments, now).stream()
          .map(claimed -> claimed.claim().runId())
          .collect(Collectors.toSet());
    }

    @Override
    public void committed() {}

    @Override
    public void failed() {}
  }
}
