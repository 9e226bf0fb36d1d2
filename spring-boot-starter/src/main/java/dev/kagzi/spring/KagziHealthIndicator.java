package dev.kagzi.spring;

import dev.kagzi.sdk.KagziException;
import dev.kagzi.sdk.WorkerView;
import dev.kagzi.sdk.client.KagziClient;
import dev.kagzi.sdk.worker.Worker;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * Whether a server answers and, where the application has a worker, whether the server has accepted
 * it and hears of it. Thread-safe.
 */
final class KagziHealthIndicator extends AbstractHealthIndicator {

  private final KagziClient client;
  private final @Nullable Worker worker;

  KagziHealthIndicator(KagziClient client, @Nullable Worker worker) {
    super("the server does not answer");
    this.client = client;
    this.worker = worker;
  }

  @Override
  protected void doHealthCheck(Health.Builder health) throws KagziException {
    if (worker == null) {
      client.workers().list().page(1);
      health.up();
      return;
    }
    String id = worker.workerId().orElse("");
    if (id.isEmpty()) {
      health.down().withDetail("worker", "no server has accepted it yet");
      return;
    }
    WorkerView seen = client.workers().get(id).worker();
    boolean well = seen.status() != WorkerView.Status.OFFLINE;
    health
        .status(well ? Status.UP : Status.DOWN)
        .withDetail("worker", id)
        .withDetail("status", seen.status())
        .withDetail("queue", seen.queue())
        .withDetail("lastHeartbeat", seen.lastHeartbeatAt())
        .withDetail("active", worker.activeCount());
  }
}
