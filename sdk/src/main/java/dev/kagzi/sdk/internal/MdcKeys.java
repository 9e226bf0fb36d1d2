package dev.kagzi.sdk.internal;

import java.util.Map;
import org.slf4j.MDC;

/**
 * What every log line of a run carries. The names are stable, people build dashboards on them. Set
 * when a thread starts, because threads do not inherit them.
 */
final class MdcKeys {

  static final String RUN_ID = "kagzi.run_id";
  static final String WORKFLOW_TYPE = "kagzi.workflow_type";
  static final String STEP_ID = "kagzi.step_id";
  static final String ATTEMPT = "kagzi.attempt";

  private MdcKeys() {}

  static void putRun(ClaimedRun claim) {
    MDC.put(RUN_ID, claim.runId());
    MDC.put(WORKFLOW_TYPE, claim.type());
  }

  static void putStep(String stepKey, int attempt) {
    MDC.put(STEP_ID, stepKey);
    MDC.put(ATTEMPT, Integer.toString(attempt));
  }

  /** What the thread's log lines carry now. */
  static Map<String, String> now() {
    Map<String, String> all = MDC.getCopyOfContextMap();
    return all == null ? Map.of() : all;
  }

  /** Has them carry that again, whatever a step has made of it. */
  static void restore(Map<String, String> before) {
    MDC.setContextMap(before);
  }

  /** Forgets everything, before the thread is used for something else. */
  static void clear() {
    MDC.clear();
  }
}
