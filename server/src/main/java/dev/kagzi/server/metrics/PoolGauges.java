package dev.kagzi.server.metrics;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.function.ToIntFunction;

/**
 * How the connections of this server to its database are used. Asks the pool, not the database, so
 * that it answers also when that does not. Thread-safe.
 */
final class PoolGauges {

  private final MeterRegistry registry;
  private final HikariDataSource pool;

  PoolGauges(MeterRegistry registry, HikariDataSource pool) {
    this.registry = registry;
    this.pool = pool;
  }

  void register() {
    register(gauge("connections", HikariPoolMXBean::getActiveConnections).tag("state", "active"));
    register(gauge("connections", HikariPoolMXBean::getIdleConnections).tag("state", "idle"));
    register(
        gauge("pending", HikariPoolMXBean::getThreadsAwaitingConnection)
            .description("Who waits for a connection"));
    register(
        Gauge.builder("kagzi.db.pool.limit", pool, HikariDataSource::getMaximumPoolSize)
            .description("How many connections there may be"));
  }

  private Gauge.Builder<HikariDataSource> gauge(String name, ToIntFunction<HikariPoolMXBean> of) {
    return Gauge.builder(
            "kagzi.db.pool." + name, pool, asked -> of.applyAsInt(asked.getHikariPoolMXBean()))
        .description("Connections to the database");
  }

  private void register(Gauge.Builder<HikariDataSource> gauge) {
    gauge.strongReference(true).register(registry);
  }
}
