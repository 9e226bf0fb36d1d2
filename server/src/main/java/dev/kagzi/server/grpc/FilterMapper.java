package dev.kagzi.server.grpc;

import com.google.protobuf.Timestamp;
import dev.kagzi.engine.domain.Criterion;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.v1.ErrorKind;
import dev.kagzi.v1.WaitReason;
import dev.kagzi.v1.WorkflowFilter;
import dev.kagzi.v1.WorkflowStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What a list is asked for. Absent fields ask for nothing; the order of lists does not matter. */
final class FilterMapper {

  private static final int MAX_VALUES = 1000;

  /** Of moments as they come, which need not be any that Java knows. */
  private static final Comparator<Timestamp> TIME =
      Comparator.comparingLong(Timestamp::getSeconds).thenComparingInt(Timestamp::getNanos);

  private final WorkflowFilter wire;
  private final Validation validation;
  private final List<Criterion> criteria = new ArrayList<>();

  private FilterMapper(WorkflowFilter wire, Validation validation) {
    this.wire = wire;
    this.validation = validation;
  }

  /** Reads a filter and notes its faults; its result counts only if there are none. */
  static List<Criterion> fromWire(WorkflowFilter wire, Validation validation) {
    FilterMapper mapper = new FilterMapper(wire, validation);
    mapper.check();
    validation.done();
    mapper.indexed();
    mapper.identity();
    mapper.place();
    mapper.times();
    mapper.errors();
    return List.copyOf(mapper.criteria);
  }

  private void check() {
    wire.getStatusesList().forEach(this::statusOfARun);
    wire.getWaitReasonsList().forEach(reason -> validation.known("filter.wait_reasons", reason));
    wire.getErrorKindsList().forEach(kind -> validation.known("filter.error_kinds", kind));
    names("filter.workflow_types", wire.getWorkflowTypesList());
    names("filter.task_queues", wire.getTaskQueuesList());
    limited("filter.versions", wire.getVersionsCount());
    wire.getVersionsList().forEach(version -> validation.optionalName("filter.versions", version));
    names("filter.labels", wire.getLabelsList());
    limited("filter.run_ids", wire.getRunIdsCount());
    wire.getRunIdsList().forEach(id -> validation.id("filter.run_ids", id));
    validation
        .optionalName("filter.external_id", wire.getExternalId())
        .optionalName("filter.external_id_prefix", wire.getExternalIdPrefix())
        .optionalId("filter.parent_run_id", wire.getParentRunId())
        .optionalId("filter.schedule_id", wire.getScheduleId())
        .optionalId("filter.worker_id", wire.getWorkerId())
        .optionalId("filter.forked_from_run_id", wire.getForkedFromRunId())
        .optionalId("filter.handler_for_run_id", wire.getHandlerForRunId())
        .require(
            wire.getRunIdSuffix().matches("[0-9a-fA-F-]{0,36}"),
            "filter.run_id_suffix",
            "is not the end of a UUID")
        .remark("filter.failed_step_key", wire.getFailedStepKey())
        .remark("filter.error_type", wire.getErrorType())
        .remark("filter.error_contains", wire.getErrorContains())
        .moment("filter.created_after", wire.getCreatedAfter())
        .moment("filter.created_before", wire.getCreatedBefore())
        .moment("filter.finished_after", wire.getFinishedAfter())
        .moment("filter.finished_before", wire.getFinishedBefore())
        .moment("filter.ready_before", wire.getReadyBefore());
    if (wire.hasCreatedAfter() && wire.hasCreatedBefore()) {
      inOrder("filter.created", wire.getCreatedAfter(), wire.getCreatedBefore());
    }
    if (wire.hasFinishedAfter() && wire.hasFinishedBefore()) {
      inOrder("filter.finished", wire.getFinishedAfter(), wire.getFinishedBefore());
    }
  }

  private void inOrder(String field, Timestamp after, Timestamp before) {
    validation.require(
        TIME.compare(after, before) <= 0,
        field + "_before",
        "lies before %s_after (expected: the same or later)".formatted(field));
  }

  private void statusOfARun(WorkflowStatus status) {
    boolean ofSchedule =
        status == WorkflowStatus.WORKFLOW_STATUS_SCHEDULED
            || status == WorkflowStatus.WORKFLOW_STATUS_PAUSED;
    validation
        .known("filter.statuses", status)
        .require(
            !ofSchedule,
            "filter.statuses",
            "is the state of a schedule (expected: that of a run; ListSchedules lists schedules)");
  }

  private void names(String field, List<String> names) {
    limited(field, names.size());
    names.forEach(name -> validation.name(field, name));
  }

  private void limited(String field, int size) {
    validation.require(
        size <= MAX_VALUES,
        field,
        "has %d entries (expected: at most %d)".formatted(size, MAX_VALUES));
  }

  private void indexed() {
    if (wire.getStatusesCount() > 0) {
      Set<RunStatus> statuses = new TreeSet<>();
      wire.getStatusesList().forEach(status -> statuses.add(fromWire(status)));
      criteria.add(new Criterion.HasStatus(statuses));
    }
    ifAny(wire.getWorkflowTypesList(), Criterion.HasType::new);
    ifGiven(wire.getExternalId(), Criterion.HasExternalId::new);
    ifGiven(wire.getParentRunId(), id -> new Criterion.HasParent(RunId.parse(id)));
    ifGiven(wire.getScheduleId(), id -> new Criterion.IsOfSchedule(RunId.parse(id)));
  }

  private void identity() {
    if (wire.getRunIdsCount() > 0) {
      Set<RunId> ids = wire.getRunIdsList().stream().map(RunId::parse).collect(Collectors.toSet());
      criteria.add(new Criterion.IsOneOf(ids));
    }
    ifGiven(
        wire.getRunIdSuffix(), suffix -> new Criterion.IdEndsWith(suffix.toLowerCase(Locale.ROOT)));
    ifGiven(wire.getExternalIdPrefix(), Criterion.ExternalIdStartsWith::new);
    ifGiven(wire.getForkedFromRunId(), id -> new Criterion.IsForkOf(RunId.parse(id)));
    ifGiven(wire.getHandlerForRunId(), id -> new Criterion.IsHandlerFor(RunId.parse(id)));
  }

  private void place() {
    ifAny(wire.getTaskQueuesList(), Criterion.HasQueue::new);
    ifAny(wire.getVersionsList(), Criterion.HasVersion::new);
    labels();
    if (wire.getWaitReasonsCount() > 0) {
      Set<String> reasons = new TreeSet<>();
      for (WaitReason reason : wire.getWaitReasonsList()) {
        reasons.add(reason.name().substring("WAIT_REASON_".length()));
      }
      criteria.add(new Criterion.WaitsFor(reasons));
    }
    ifGiven(wire.getWorkerId(), id -> new Criterion.HasWorker(WorkerId.parse(id)));
  }

  private void labels() {
    Map<String, String> labels = new HashMap<>();
    Set<String> names = new HashSet<>();
    for (String label : wire.getLabelsList()) {
      int equals = label.indexOf('=');
      if (equals < 0) {
        names.add(label);
      } else {
        labels.put(label.substring(0, equals), label.substring(equals + 1));
      }
    }
    if (!labels.isEmpty()) {
      criteria.add(new Criterion.HasLabels(new TreeMap<>(labels)));
    }
    ifAny(names, Criterion.HasLabelNames::new);
  }

  private void times() {
    ifMoment(wire.hasCreatedAfter(), wire.getCreatedAfter(), Criterion.CreatedAfter::new);
    ifMoment(wire.hasCreatedBefore(), wire.getCreatedBefore(), Criterion.CreatedBefore::new);
    ifMoment(wire.hasFinishedAfter(), wire.getFinishedAfter(), Criterion.FinishedAfter::new);
    ifMoment(wire.hasFinishedBefore(), wire.getFinishedBefore(), Criterion.FinishedBefore::new);
    ifMoment(wire.hasReadyBefore(), wire.getReadyBefore(), Criterion.ReadySince::new);
  }

  private void errors() {
    ifGiven(wire.getFailedStepKey(), Criterion.FailedInStep::new);
    ifGiven(wire.getErrorType(), Criterion.HasErrorType::new);
    ifGiven(wire.getErrorContains(), Criterion.ErrorContains::new);
    if (wire.getErrorKindsCount() > 0) {
      Set<dev.kagzi.core.ErrorKind> kinds = new TreeSet<>();
      for (ErrorKind kind : wire.getErrorKindsList()) {
        kinds.add(FailureMapper.kind(kind));
      }
      criteria.add(new Criterion.HasErrorKind(kinds));
    }
  }

  private void ifGiven(String text, Function<String, Criterion> criterion) {
    if (!text.isEmpty()) {
      criteria.add(criterion.apply(text));
    }
  }

  /** Sorted, so that equal filters have equal page tokens. */
  private void ifAny(Iterable<String> texts, Function<Set<String>, Criterion> criterion) {
    Set<String> values = new TreeSet<>();
    texts.forEach(values::add);
    if (!values.isEmpty()) {
      criteria.add(criterion.apply(values));
    }
  }

  private void ifMoment(boolean given, Timestamp moment, Function<Instant, Criterion> criterion) {
    if (given) {
      criteria.add(criterion.apply(TimeMapper.toInstant(moment)));
    }
  }

  private static RunStatus fromWire(WorkflowStatus status) {
    return RunStatus.valueOf(status.name().substring("WORKFLOW_STATUS_".length()));
  }
}
