package dev.kagzi.server.grpc;

import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.operation.Workflows;

/** Which run a request means that names it by its id, or else by its external id. Thread-safe. */
final class RunNames {

  private final Workflows workflows;

  RunNames(Workflows workflows) {
    this.workflows = workflows;
  }

  /** Whether the run has to be looked up. */
  static boolean isExternal(String runId, String externalId) {
    return runId.isEmpty() && !externalId.isEmpty();
  }

  /** The run that is meant; ends the checking. */
  RunId read(Validation check, String namespace, String runId, String externalId) {
    check.optionalName("namespace", namespace).optionalName("external_id", externalId);
    if (isExternal(runId, externalId)) {
      check.done();
      return workflows.idOf(namespace, externalId);
    }
    check.id("run_id", runId).done();
    return RunId.parse(runId);
  }
}
