package dev.kagzi.engine.loop;

import dev.kagzi.engine.operation.Recovery;
import java.time.Duration;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Frees runs whose worker fell silent without a trace: host gone, network cut. */
public final class LeaseSweeper {

  private static final Logger log = LoggerFactory.getLogger(LeaseSweeper.class);

  /** A heartbeat that is on its way at the end of the lease still counts. */
  private static final Duration GRACE = Duration.ofSeconds(1);

  private final Recovery recovery;

  public LeaseSweeper(Recovery recovery) {
    this.recovery = recovery;
  }

  static Instant expiredBefore(Instant now) {
    return now.minus(GRACE);
  }

  /** Returns how many runs it freed. */
  public int runOnce(Instant now) {
    int freed = recovery.sweepLeases(expiredBefore(now));
    if (freed > 0) {
      log.warn("leases expired: {}; their runs are free", freed);
    }
    return freed;
  }
}
