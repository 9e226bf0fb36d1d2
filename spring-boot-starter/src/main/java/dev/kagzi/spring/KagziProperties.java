package dev.kagzi.spring;

import java.time.Duration;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties under {@code kagzi}. Immutable.
 *
 * @param address {@code host:port} of a server, or several of them separated by commas
 * @param namespace the namespace to work in
 * @param worker the worker of the application
 */
@ConfigurationProperties("kagzi")
public record KagziProperties(
    @DefaultValue("localhost:50051") String address,
    @DefaultValue("default") String namespace,
    @DefaultValue WorkerProperties worker) {

  /**
   * The properties under {@code kagzi.worker}.
   *
   * @param enabled whether the application executes workflows, or only starts them
   * @param queue the task queue to serve
   * @param maxConcurrent how many runs are held at the same time
   * @param version the version of the application, for people to read
   * @param labels something to group workers by
   * @param drainTimeout how long a stopping application finishes what it holds
   */
  public record WorkerProperties(
      @DefaultValue("true") boolean enabled,
      @DefaultValue("default") String queue,
      @DefaultValue("100") int maxConcurrent,
      @DefaultValue("") String version,
      @DefaultValue Map<String, String> labels,
      @DefaultValue("30s") Duration drainTimeout) {

    public WorkerProperties {
      labels = Map.copyOf(labels);
    }
  }
}
