package dev.kagzi.server.metrics;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.engine.Engine;
import dev.kagzi.engine.domain.LoopPulse;
import dev.kagzi.engine.domain.Telemetry;
import dev.kagzi.engine.store.Schema;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import java.util.function.Supplier;

/**
 * Everything one server process offers to Prometheus. Made before the engine, which tells it what
 * it does, and shown the engine afterwards. Thread-safe.
 */
public final class ServerMetrics implements AutoCloseable {

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final Telemetry telemetry = new MeteredTelemetry(registry);
  private final JvmGcMetrics garbage = new JvmGcMetrics();

  public ServerMetrics(String version) {
    Gauge.builder("kagzi.build.info", () -> 1)
        .description("What runs here")
        .tag("version", version)
        .tag("schema", String.valueOf(Schema.VERSION))
        .register(registry);
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    garbage.bindTo(registry);
  }

  /** Hears what an engine does. */
  public Telemetry telemetry() {
    return telemetry;
  }

  /** Also shows how the connections of a pool are used. */
  public void watch(HikariDataSource pool) {
    new PoolGauges(registry, pool).register();
  }

  /** Also shows what can be seen of an engine only by looking; returns what Prometheus reads. */
  public Supplier<String> watch(Engine engine) {
    for (LoopPulse pulse : engine.pulses()) {
      Gauge.builder("kagzi.loop.stalled", engine, of -> stalled(of.pulses(), pulse.name()))
          .description("Whether a loop has finished no turn for far too long")
          .tag("loop", pulse.name())
          .strongReference(true)
          .register(registry);
    }
    var backlog =
        new BacklogGauges(
            registry, engine.queues()::backlog, engine::isDatabaseUp, System::nanoTime);
    return () -> {
      backlog.refresh();
      return registry.scrape();
    };
  }

  static int stalled(List<LoopPulse> pulses, String loop) {
    boolean stalled =
        pulses.stream().anyMatch(pulse -> pulse.name().equals(loop) && pulse.isStalled());
    return stalled ? 1 : 0;
  }

  @Override
  public void close() {
    garbage.close();
    registry.close();
  }
}
