package dev.kagzi.engine.domain;

import dev.kagzi.core.ErrorKind;
import java.time.Instant;
import java.util.Map;
import java.util.Set;

/**
 * One thing that is asked of a run in a list. The first group has indexes; the others look at rows
 * one by one, up to a limit per call.
 */
public sealed interface Criterion {

  /** In one of these states. */
  record HasStatus(Set<RunStatus> statuses) implements Criterion {}

  /** Of one of these types. */
  record HasType(Set<String> types) implements Criterion {}

  record HasExternalId(String externalId) implements Criterion {}

  record HasParent(RunId parent) implements Criterion {}

  record IsOfSchedule(RunId scheduleId) implements Criterion {}

  /** One of these runs. */
  record IsOneOf(Set<RunId> runIds) implements Criterion {}

  /** Its id ends like this, as people copy it from a screen. */
  record IdEndsWith(String suffix) implements Criterion {}

  record ExternalIdStartsWith(String prefix) implements Criterion {}

  record HasQueue(Set<String> queues) implements Criterion {}

  record HasVersion(Set<String> versions) implements Criterion {}

  /** Has all of these labels. */
  record HasLabels(Map<String, String> labels) implements Criterion {}

  /** Has labels of these names, whatever their values. */
  record HasLabelNames(Set<String> names) implements Criterion {}

  /** Waits, and for one of these. */
  record WaitsFor(Set<String> reasons) implements Criterion {}

  /** Held, or last held, by this worker. */
  record HasWorker(WorkerId worker) implements Criterion {}

  record CreatedAfter(Instant moment) implements Criterion {}

  record CreatedBefore(Instant moment) implements Criterion {}

  record FinishedAfter(Instant moment) implements Criterion {}

  record FinishedBefore(Instant moment) implements Criterion {}

  /** Claimable since before a moment, and not claimed. */
  record ReadySince(Instant moment) implements Criterion {}

  record FailedInStep(String stepKey) implements Criterion {}

  /** Its error's class has this name, full or simple. */
  record HasErrorType(String type) implements Criterion {}

  /** Its error's message contains this, in any case. */
  record ErrorContains(String text) implements Criterion {}

  record HasErrorKind(Set<ErrorKind> kinds) implements Criterion {}

  record IsForkOf(RunId origin) implements Criterion {}

  record IsHandlerFor(RunId failed) implements Criterion {}
}
