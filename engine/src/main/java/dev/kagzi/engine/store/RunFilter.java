package dev.kagzi.engine.store;

import dev.kagzi.core.ErrorKind;
import dev.kagzi.engine.domain.Criterion;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.jdbc.Query;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The one place that assembles SQL: the conditions of a list, from fixed pieces. Values are always
 * bound, each criterion has its own parameter name and appears at most once.
 */
final class RunFilter {

  private static final Set<RunStatus> LIVE =
      EnumSet.of(RunStatus.PENDING, RunStatus.RUNNING, RunStatus.SLEEPING);
  private static final Set<RunStatus> ENDED =
      EnumSet.of(RunStatus.COMPLETED, RunStatus.FAILED, RunStatus.CANCELLED, RunStatus.TIMED_OUT);

  private static final String OF_TYPES = "workflow_type = ANY(:types::text[])";

  private final List<Criterion> criteria;

  RunFilter(List<Criterion> criteria) {
    this.criteria = criteria;
  }

  List<String> liveStatuses() {
    return statuses(LIVE);
  }

  List<String> endedStatuses() {
    return statuses(ENDED);
  }

  private List<String> statuses(Set<RunStatus> possible) {
    Set<RunStatus> wanted = EnumSet.copyOf(possible);
    for (Criterion criterion : criteria) {
      if (criterion instanceof Criterion.HasStatus asked) {
        wanted.retainAll(asked.statuses());
      }
    }
    return wanted.stream().map(RunStatus::name).sorted().toList();
  }

  /** Conditions that an index answers. */
  String indexed() {
    return conditions(true, true);
  }

  /**
   * The same in history, which is looked at once per state and type: an index then leads to the
   * newest of each, however many runs of other states lie between them.
   */
  String indexedInHistory() {
    return indexed().replace(OF_TYPES, "workflow_type = asked.workflow_type");
  }

  /** The states, or states and types, that history is asked for one by one. */
  String asked() {
    return criteria.stream().anyMatch(Criterion.HasType.class::isInstance)
        ? "(SELECT s.status, t.workflow_type FROM unnest(:endedStatuses::text[]) AS s(status)"
            + " CROSS JOIN unnest(:types::text[]) AS t(workflow_type)) AS asked"
        : "unnest(:endedStatuses::text[]) AS asked(status)";
  }

  /** Conditions that must look at each row. */
  String scanning(boolean live) {
    return conditions(false, live);
  }

  /** Whether some rows are looked at and left out. */
  boolean scans() {
    return criteria.stream().anyMatch(criterion -> !isIndexed(criterion));
  }

  private String conditions(boolean indexed, boolean live) {
    List<String> parts = new ArrayList<>();
    for (Criterion criterion : criteria) {
      if (isIndexed(criterion) == indexed) {
        parts.add(condition(criterion, live));
      }
    }
    return parts.stream().map(part -> "\n  AND " + part).collect(Collectors.joining());
  }

  static boolean isIndexed(Criterion criterion) {
    return criterion instanceof Criterion.HasStatus
        || criterion instanceof Criterion.HasType
        || criterion instanceof Criterion.HasExternalId
        || criterion instanceof Criterion.HasParent
        || criterion instanceof Criterion.IsOfSchedule
        || criterion instanceof Criterion.IsOneOf;
  }

  /** What only one of the two tables knows is false in the other. */
  private static String condition(Criterion criterion, boolean live) {
    return switch (criterion) {
      case Criterion.HasStatus status -> "true";
      case Criterion.HasType type -> OF_TYPES;
      case Criterion.HasExternalId id -> "external_id = :externalId";
      case Criterion.HasParent parent -> "parent_run_id = :parent";
      case Criterion.IsOfSchedule schedule -> "schedule_group_id = :schedule";
      case Criterion.IsOneOf runs -> "run_id = ANY(:oneOf::uuid[])";
      case Criterion.IdEndsWith end -> "run_id::text LIKE :idEnd";
      case Criterion.ExternalIdStartsWith start -> "starts_with(external_id, :externalIdStart)";
      case Criterion.HasQueue queue -> "task_queue = ANY(:queues::text[])";
      case Criterion.HasVersion version -> "version = ANY(:versions::text[])";
      case Criterion.HasLabels labels -> "labels @> :labels::jsonb";
      case Criterion.HasLabelNames names -> "jsonb_exists_all(labels, :labelNames::text[])";
      case Criterion.WaitsFor waits -> live ? "wait_reason = ANY(:waitReasons::text[])" : "false";
      case Criterion.HasWorker worker -> live ? "locked_by = :worker" : "finished_by = :worker";
      case Criterion.CreatedAfter after -> "created_at > :createdAfter";
      case Criterion.CreatedBefore before -> "created_at < :createdBefore";
      case Criterion.FinishedAfter after -> live ? "false" : "finished_at > :finishedAfter";
      case Criterion.FinishedBefore before -> live ? "false" : "finished_at < :finishedBefore";
      case Criterion.ReadySince since ->
          live ? "status <> 'RUNNING' AND available_at < :readySince" : "false";
      case Criterion.FailedInStep step -> live ? "false" : "failed_step_key = :failedStep";
      case Criterion.HasErrorType type ->
          live
              ? "false"
              : "(error ->> 'type' = :errorType OR right(error ->> 'type', length(:errorType) + 1)"
                  + " IN ('.' || :errorType, '$' || :errorType))";
      case Criterion.ErrorContains text ->
          live ? "false" : "strpos(lower(error ->> 'message'), lower(:errorText)) > 0";
      case Criterion.HasErrorKind kinds ->
          live ? "false" : "error ->> 'kind' = ANY(:errorKinds::text[])";
      case Criterion.IsForkOf origin -> "forked_from_run_id = :forkOf";
      case Criterion.IsHandlerFor failed -> "handler_for_run_id = :handlerFor";
    };
  }

  Query bind(Query query) {
    criteria.forEach(criterion -> bind(query, criterion));
    return query;
  }

  private static Query bind(Query query, Criterion criterion) {
    return switch (criterion) {
      case Criterion.HasStatus status -> query;
      case Criterion.HasType type -> query.texts("types", type.types(), text -> text);
      case Criterion.HasExternalId id -> query.set("externalId", id.externalId());
      case Criterion.HasParent parent -> query.set("parent", parent.parent().value());
      case Criterion.IsOfSchedule schedule -> query.set("schedule", schedule.scheduleId().value());
      case Criterion.IsOneOf runs -> query.uuids("oneOf", runs.runIds(), RunId::value);
      case Criterion.IdEndsWith end -> query.set("idEnd", "%" + end.suffix());
      case Criterion.ExternalIdStartsWith start -> query.set("externalIdStart", start.prefix());
      case Criterion.HasQueue queue -> query.texts("queues", queue.queues(), text -> text);
      case Criterion.HasVersion version ->
          query.texts("versions", version.versions(), text -> text);
      case Criterion.HasLabels labels -> query.set("labels", Json.ofMap(labels.labels()));
      case Criterion.HasLabelNames names -> query.texts("labelNames", names.names(), text -> text);
      case Criterion.WaitsFor waits -> query.texts("waitReasons", waits.reasons(), text -> text);
      case Criterion.HasWorker worker -> query.set("worker", worker.worker().value());
      case Criterion.CreatedAfter after -> query.set("createdAfter", after.moment());
      case Criterion.CreatedBefore before -> query.set("createdBefore", before.moment());
      case Criterion.FinishedAfter after -> query.set("finishedAfter", after.moment());
      case Criterion.FinishedBefore before -> query.set("finishedBefore", before.moment());
      case Criterion.ReadySince since -> query.set("readySince", since.moment());
      case Criterion.FailedInStep step -> query.set("failedStep", step.stepKey());
      case Criterion.HasErrorType type -> query.set("errorType", type.type());
      case Criterion.ErrorContains text -> query.set("errorText", text.text());
      case Criterion.HasErrorKind kinds ->
          query.texts("errorKinds", kinds.kinds(), ErrorKind::name);
      case Criterion.IsForkOf origin -> query.set("forkOf", origin.origin().value());
      case Criterion.IsHandlerFor failed -> query.set("handlerFor", failed.failed().value());
    };
  }
}
