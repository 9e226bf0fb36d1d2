package dev.kagzi.engine.domain;

import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.MDC;

/**
 * What log lines about a run carry besides their text, under the names that workers use too. The
 * names are stable: people search by them. Immutable.
 */
public final class LogFields {

  private final Map<String, String> fields = new LinkedHashMap<>();

  private LogFields(RunId runId, String workflowType) {
    fields.put("kagzi.run_id", runId.toString());
    fields.put("kagzi.workflow_type", workflowType);
  }

  public static LogFields of(RunId runId, String workflowType) {
    return new LogFields(runId, workflowType);
  }

  /** The same about an attempt at a step. */
  public static LogFields of(RunId runId, String workflowType, String stepKey, int attempt) {
    LogFields all = new LogFields(runId, workflowType);
    all.fields.put("kagzi.step_id", stepKey);
    all.fields.put("kagzi.attempt", Integer.toString(attempt));
    return all;
  }

  /** Has something logged with these fields. */
  public void with(Runnable logging) {
    fields.forEach(MDC::put);
    try {
      logging.run();
    } finally {
      fields.keySet().forEach(MDC::remove);
    }
  }
}
