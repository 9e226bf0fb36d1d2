package dev.kagzi.e2e.killmatrix;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.engine.jdbc.DatabaseException;
import dev.kagzi.faults.Fault;
import dev.kagzi.faults.Fault.Action;
import dev.kagzi.faults.FaultyDataSource.Moment;
import dev.kagzi.faults.OneFault;
import dev.kagzi.faults.PlannedFaults;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A server in this JVM: dead is who has no database any more. */
final class StationVictim implements Victim {

  private final OneFault plan;
  private final HikariDataSource pool;
  private final PlannedFaults faults;
  private final @Nullable Station station;

  private StationVictim(String jdbcUrl, List<String> statement, Moment moment, boolean armed) {
    this.plan = new OneFault(statement, new Fault(moment, Action.DIE));
    if (armed) {
      plan.arm();
    }
    this.pool = Station.pool(jdbcUrl);
    this.faults = new PlannedFaults(pool, plan);
    this.station = begin(pool, faults);
  }

  static Victim start(String jdbcUrl, List<String> statement, Moment moment, boolean armed) {
    return new StationVictim(jdbcUrl, statement, moment, armed);
  }

  /** Some die before they serve. */
  private static @Nullable Station begin(HikariDataSource pool, PlannedFaults faults) {
    try {
      return Station.start(pool, faults);
    } catch (DatabaseException death) {
      return null;
    }
  }

  @Override
  public Peer peer() {
    return Objects.requireNonNull(station, "it died before it served").peer();
  }

  @Override
  public void arm() {
    plan.arm();
  }

  @Override
  public boolean awaitDeath(Duration limit) throws InterruptedException {
    return faults.awaitDeath(limit);
  }

  @Override
  public void close() {
    faults.die();
    if (station == null) {
      pool.close();
    } else {
      station.close();
    }
  }
}
