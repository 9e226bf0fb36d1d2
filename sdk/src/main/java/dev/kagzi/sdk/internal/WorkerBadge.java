package dev.kagzi.sdk.internal;

import dev.kagzi.v1.RegisterRequest;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.UUID;

/**
 * What a worker shows of itself for people to read; none of it decides what the worker may do.
 *
 * @param hostname where it runs; empty for the name of this machine
 * @param buildVersion the version of the application
 * @param labels whatever its operator wants to group workers by
 * @param instanceId tells workers of one process apart
 */
public record WorkerBadge(
    String hostname, String buildVersion, Map<String, String> labels, String instanceId) {

  public WorkerBadge {
    labels = Map.copyOf(labels);
  }

  public static WorkerBadge of(String hostname, String buildVersion, Map<String, String> labels) {
    return new WorkerBadge(hostname, buildVersion, labels, UUID.randomUUID().toString());
  }

  void writeTo(RegisterRequest.Builder request) {
    request
        .setBuildVersion(buildVersion)
        .putAllLabels(labels)
        .setInstanceId(instanceId)
        .setHostname(hostname.isEmpty() ? thisMachine() : hostname)
        .setPid(ProcessHandle.current().pid())
        .setSdkName("kagzi-java")
        .setSdkVersion(sdkVersion())
        .setRuntime("Java " + Runtime.version());
  }

  private static String sdkVersion() {
    String version = WorkerBadge.class.getPackage().getImplementationVersion();
    return version == null ? "" : version;
  }

  private static String thisMachine() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "unknown";
    }
  }
}
