package dev.kagzi.engine.domain;

import java.util.List;
import java.util.Map;

/**
 * What a worker says of itself when it registers.
 *
 * @param buildVersion information only; a run is tied to versions of its type, never to builds
 */
public record WorkerRegistration(
    QueueKey queue,
    List<TypeVersion> types,
    int maxConcurrent,
    Location location,
    String buildVersion,
    String sdkVersion,
    Map<String, String> labels) {

  /** Where it runs; in a container host and pid repeat, the instance id does not. */
  public record Location(String hostname, long pid, String instanceId) {}

  public WorkerRegistration {
    types = List.copyOf(types);
    labels = Map.copyOf(labels);
  }
}
