package dev.kagzi.engine.loop;

import dev.kagzi.engine.operation.Partitions;
import java.time.Instant;

/** Makes the partitions of the coming days before they are needed. */
public final class PartitionKeeper {

  private final Partitions partitions;

  public PartitionKeeper(Partitions partitions) {
    this.partitions = partitions;
  }

  public void runOnce(Instant now) {
    partitions.makeAhead(now);
  }
}
