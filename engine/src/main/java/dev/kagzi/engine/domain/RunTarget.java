package dev.kagzi.engine.domain;

/** What a run is a run of, and where it is served. */
public record RunTarget(String namespace, String taskQueue, String workflowType, String version) {

  public QueueKey queue() {
    return new QueueKey(namespace, taskQueue);
  }
}
