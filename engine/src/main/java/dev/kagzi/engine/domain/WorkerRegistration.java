package dev.kagzi.engine.domain;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What a worker says of itself when it registers. */
public record WorkerRegistration(
    QueueKey queue,
    List<TypeVersion> types,
    int maxConcurrent,
    Location location,
    Software software,
    Map<String, String> labels) {

  /**
   * Where it runs; in a container host and pid repeat, the instance id does not.
   *
   * @param node the server process it lives in, if it is embedded: they die together
   */
  public record Location(String hostname, long pid, String instanceId, @Nullable UUID node) {}

  /**
   * What it consists of, for people to read.
   *
   * @param buildVersion information only; a run is tied to versions of its type, never to builds
   * @param runtime such as {@code Java 25.0.1}
   */
  public record Software(String buildVersion, String sdkName, String sdkVersion, String runtime) {

    public static final Software UNKNOWN = new Software("", "", "", "");
  }

  public WorkerRegistration {
    types = List.copyOf(types);
    labels = Map.copyOf(labels);
  }
}
