package dev.kagzi.sdk.internal;

import dev.kagzi.v1.WorkflowTypeVersion;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The workflows of one worker, by type and version. Immutable and thread-safe. */
public final class Registrations {

  private record Pair(String type, String version) {}

  private final Map<Pair, RegisteredWorkflow> workflows = new LinkedHashMap<>();

  public Registrations(Collection<RegisteredWorkflow> registered) {
    if (registered.isEmpty()) {
      throw new IllegalArgumentException(
          "The worker has no workflows (expected: at least one register(..) before build())");
    }
    for (RegisteredWorkflow workflow : registered) {
      var known = workflows.putIfAbsent(new Pair(workflow.type(), workflow.version()), workflow);
      if (known != null) {
        throw new IllegalArgumentException(
            "Workflow '%s' is registered twice, as %s and as %s (expected: one for each version)"
                .formatted(workflow.label(), className(known), className(workflow)));
      }
    }
  }

  private static String className(RegisteredWorkflow workflow) {
    return workflow.workflow().getClass().getName();
  }

  @Nullable RegisteredWorkflow find(String type, String version) {
    return workflows.get(new Pair(type, version));
  }

  List<WorkflowTypeVersion> types() {
    return workflows.keySet().stream()
        .map(pair ->
            WorkflowTypeVersion.newBuilder()
                .setWorkflowType(pair.type())
                .setVersion(pair.version())
                .build())
        .toList();
  }

  List<String> labels() {
    return workflows.values().stream().map(RegisteredWorkflow::label).toList();
  }
}
