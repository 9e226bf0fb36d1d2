-- The whole state of Kagzi. Read with ARCHITECTURE.md, section "State".
--
-- Three habits run through it:
--   * Live runs are few and hot (workflow_runs); finished ones are many and never change
--     (finished_runs, step_runs, workflow_payloads: partitioned by run_id, which is time, so
--     that retention drops tables instead of deleting rows). The engine makes the partitions.
--   * Nothing calls now(): every time comes from the engine's clock as a parameter.
--   * No foreign keys, triggers or counters on the hot path; invariants are CHECK constraints
--     whose names say what is true.

CREATE TABLE settings (
  name       text COLLATE "C" PRIMARY KEY,
  value      bytea NOT NULL,
  updated_at timestamptz NOT NULL
);
COMMENT ON TABLE settings IS 'What all servers of one database share: the page token key.';

CREATE TABLE namespaces (
  namespace_id   text COLLATE "C" PRIMARY KEY,
  description    text NOT NULL DEFAULT '',
  enabled        boolean NOT NULL DEFAULT true,
  disable_reason text NOT NULL DEFAULT '',
  retention_days int,
  labels         jsonb,
  created_at     timestamptz NOT NULL,
  updated_at     timestamptz NOT NULL,
  CONSTRAINT a_namespace_has_a_name CHECK (length(namespace_id) BETWEEN 1 AND 255),
  CONSTRAINT retention_is_not_negative CHECK (retention_days >= 0)
);
COMMENT ON COLUMN namespaces.retention_days IS 'NULL: the server''s setting; 0: for ever.';

CREATE TABLE workflow_types (
  namespace_id    text COLLATE "C" NOT NULL,
  workflow_type   text COLLATE "C" NOT NULL,
  default_version text COLLATE "C" NOT NULL,
  home_queue      text COLLATE "C" NOT NULL,
  created_at      timestamptz NOT NULL,
  updated_at      timestamptz NOT NULL,
  PRIMARY KEY (namespace_id, workflow_type)
);
COMMENT ON TABLE workflow_types IS
  'Written by the first registration of a type; SetDefaultVersion moves the default.';

CREATE TABLE workflow_runs (
  run_id                uuid PRIMARY KEY,
  namespace_id          text COLLATE "C" NOT NULL,
  external_id           text COLLATE "C",
  task_queue            text COLLATE "C" NOT NULL,
  workflow_type         text COLLATE "C" NOT NULL,
  version               text COLLATE "C" NOT NULL,
  status                text COLLATE "C" NOT NULL,
  wait_reason           text COLLATE "C",
  -- Which ends of its waits wake a sleeping run: ANY, ALL or ALL_OR_FAILED.
  wake_when             text COLLATE "C",
  -- When a worker may claim the run; for a template, when it fires next.
  available_at          timestamptz,
  -- The end of the lease, in no index, so that a heartbeat is a HOT update.
  lease_until           timestamptz,
  -- When the lease was taken; means something only while there is one.
  leased_at             timestamptz,
  lease_epoch           int NOT NULL DEFAULT 0,
  locked_by             uuid,
  -- Which claim statement took the run: read back when its commit's fate is unknown.
  claim_id              uuid,
  failures              int NOT NULL DEFAULT 0,
  crashes               int NOT NULL DEFAULT 0,
  -- Settled steps at the last crash: a crash without a newer one is a crash without progress.
  settled_at_crash      int NOT NULL DEFAULT 0,
  crashes_in_row        int NOT NULL DEFAULT 0,
  retries               int NOT NULL DEFAULT 0,
  -- Why it failed outside its steps, of a run that is tried again.
  last_error            jsonb,
  open_sagas            int NOT NULL DEFAULT 0,
  stop_requested        text COLLATE "C",
  stop_reason           text,
  stop_requested_at     timestamptz,
  retry_policy          jsonb,
  step_timeout          interval,
  lease_duration        interval,
  execution_timeout     interval,
  deadline_at           timestamptz,
  on_failure_workflow   text COLLATE "C",
  on_failure_task_queue text COLLATE "C",
  handler_for_run_id    uuid,
  parent_run_id         uuid,
  parent_step_key       text COLLATE "C",
  parent_close_policy   text COLLATE "C",
  -- Written with the first child: the end of a run without any costs nothing more.
  has_children          boolean NOT NULL DEFAULT false,
  continued_from_run_id uuid,
  forked_from_run_id    uuid,
  schedule_group_id     uuid,
  fire_at               timestamptz,
  -- Before when it was not to begin; only of a run that was started with a delay.
  start_at              timestamptz,
  labels                jsonb,
  traceparent           text,
  divergence            jsonb,
  -- Only templates (SCHEDULED, PAUSED) fill the columns from here on.
  schedule_name         text COLLATE "C",
  cron_expr             text,
  timezone              text,
  max_catchup           int,
  overlap_policy        text COLLATE "C",
  -- Up to where ticks have been fired or skipped.
  last_fired_at         timestamptz,
  -- Up to where retention has removed ticks that fired: nothing shows any more that they did.
  ticks_pruned_up_to    timestamptz,
  schedule_error        text,
  pause_reason          text,
  description           text,
  updated_at            timestamptz,
  input                 bytea,
  input_metadata        jsonb,
  created_at            timestamptz NOT NULL,
  started_at            timestamptz,
  CONSTRAINT a_live_run_has_a_live_status
    CHECK (status IN ('PENDING', 'RUNNING', 'SLEEPING', 'SCHEDULED', 'PAUSED')),
  CONSTRAINT only_a_running_run_has_a_lease
    CHECK ((status = 'RUNNING') = (lease_until IS NOT NULL)
       AND (status = 'RUNNING') = (locked_by IS NOT NULL)),
  CONSTRAINT a_waiting_run_knows_when_it_is_available
    CHECK ((status IN ('PENDING', 'SLEEPING', 'SCHEDULED')) = (available_at IS NOT NULL)),
  CONSTRAINT only_a_template_has_a_cron_expression
    CHECK ((status IN ('SCHEDULED', 'PAUSED')) = (cron_expr IS NOT NULL)),
  CONSTRAINT a_wait_reason_is_one_of_the_known
    CHECK (wait_reason IN ('RETRY', 'SLEEP', 'CHILD', 'EVENT', 'NON_DETERMINISM', 'LIMIT', 'PAUSED')),
  CONSTRAINT a_stop_is_a_cancel_or_a_timeout CHECK (stop_requested IN ('CANCEL', 'TIMEOUT')),
  CONSTRAINT a_parent_close_policy_is_cancel_or_abandon
    CHECK (parent_close_policy IN ('CANCEL', 'ABANDON')),
  CONSTRAINT an_overlap_policy_is_one_of_the_known
    CHECK (overlap_policy IN ('ALLOW', 'SKIP', 'CANCEL_OTHER')),
  CONSTRAINT counters_never_fall_below_zero
    CHECK (lease_epoch >= 0 AND failures >= 0 AND crashes >= 0 AND retries >= 0 AND open_sagas >= 0)
) WITH (
  fillfactor = 60,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000,
  vacuum_truncate = off
);
COMMENT ON TABLE workflow_runs IS
  'Live runs and schedule templates only: small and hot. The end of a run moves its row to finished_runs.';

CREATE INDEX workflow_runs_ready
  ON workflow_runs (namespace_id, task_queue, workflow_type, version, available_at)
  WHERE status IN ('PENDING', 'SLEEPING');
COMMENT ON INDEX workflow_runs_ready IS
  'ClaimStore: CLAIM, OUTLOOK, DUE_QUEUES. Type and version are in it so that work nobody serves costs nothing.';
CREATE UNIQUE INDEX workflow_runs_external_id_is_unique_among_live_runs
  ON workflow_runs (namespace_id, external_id) WHERE external_id IS NOT NULL;
COMMENT ON INDEX workflow_runs_external_id_is_unique_among_live_runs IS
  'StartStore: INSERT_RUNS, FIND_LIVE_BY_EXTERNAL_ID.';
-- Its condition names no status, or every fence (status = 'RUNNING') could be read by it: whoever believes that
-- hardly anything runs, as ANALYZE did a moment before, would look through all that runs for each of them.
CREATE INDEX workflow_runs_leased ON workflow_runs (locked_by) WHERE locked_by IS NOT NULL;
COMMENT ON INDEX workflow_runs_leased IS
  'LeaseStore: FIND_EXPIRED scans it whole, FIND_HELD_BY, LOCK_HELD_BY and FIND_ORPHANED by worker; ClaimStore: CLAIM_AGAIN. Heartbeats leave it alone.';
CREATE INDEX workflow_runs_deadline ON workflow_runs (deadline_at) WHERE deadline_at IS NOT NULL;
COMMENT ON INDEX workflow_runs_deadline IS 'OverdueStore: LOCK_OVERDUE_RUNS; NodeStore: BEAT.';
CREATE INDEX workflow_runs_stopping
  ON workflow_runs (stop_requested_at) WHERE stop_requested IS NOT NULL;
COMMENT ON INDEX workflow_runs_stopping IS 'OverdueStore: LOCK_OVERDUE_RUNS; NodeStore: BEAT.';
CREATE INDEX workflow_runs_next_firing ON workflow_runs (available_at) WHERE status = 'SCHEDULED';
COMMENT ON INDEX workflow_runs_next_firing IS 'ScheduleStore: FIND_DUE; NodeStore: BEAT.';
CREATE UNIQUE INDEX workflow_runs_schedule_name_is_unique
  ON workflow_runs (namespace_id, schedule_name) WHERE status IN ('SCHEDULED', 'PAUSED');
COMMENT ON INDEX workflow_runs_schedule_name_is_unique IS 'ScheduleStore: INSERT, FIND_BY_NAME, LIST.';
CREATE INDEX workflow_runs_parent ON workflow_runs (parent_run_id) WHERE parent_run_id IS NOT NULL;
COMMENT ON INDEX workflow_runs_parent IS 'Children of a run: lists, and the loop that ends them.';
CREATE INDEX workflow_runs_schedule_group
  ON workflow_runs (schedule_group_id, run_id) WHERE schedule_group_id IS NOT NULL;
COMMENT ON INDEX workflow_runs_schedule_group IS 'Live runs of a schedule: overlap policy, lists.';

CREATE TABLE finished_runs (
  run_id                uuid NOT NULL PRIMARY KEY,
  namespace_id          text COLLATE "C" NOT NULL,
  external_id           text COLLATE "C",
  task_queue            text COLLATE "C" NOT NULL,
  workflow_type         text COLLATE "C" NOT NULL,
  version               text COLLATE "C" NOT NULL,
  status                text COLLATE "C" NOT NULL,
  lease_epoch           int NOT NULL,
  failures              int NOT NULL,
  crashes               int NOT NULL,
  retries               int NOT NULL,
  -- The row's locked_by at the end: which worker finished it.
  finished_by           uuid,
  retry_policy          jsonb,
  step_timeout          interval,
  lease_duration        interval,
  execution_timeout     interval,
  deadline_at           timestamptz,
  on_failure_workflow   text COLLATE "C",
  on_failure_task_queue text COLLATE "C",
  handler_for_run_id    uuid,
  parent_run_id         uuid,
  parent_step_key       text COLLATE "C",
  parent_close_policy   text COLLATE "C",
  continued_from_run_id uuid,
  continued_as_run_id   uuid,
  forked_from_run_id    uuid,
  schedule_group_id     uuid,
  fire_at               timestamptz,
  start_at              timestamptz,
  labels                jsonb,
  traceparent           text,
  -- What ended it: the worker's output or error, the step it failed in, a person's reason.
  output                bytea,
  output_metadata       jsonb,
  error                 jsonb,
  failed_step_key       text COLLATE "C",
  stop_reason           text,
  created_at            timestamptz NOT NULL,
  started_at            timestamptz,
  finished_at           timestamptz NOT NULL,
  CONSTRAINT a_finished_run_has_a_final_status
    CHECK (status IN ('COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT'))
) PARTITION BY RANGE (run_id);
COMMENT ON TABLE finished_runs IS
  'Write-once history. RetryWorkflow moves a row back; nothing else ever changes one.';

CREATE INDEX finished_runs_by_status
  ON finished_runs (namespace_id, status, run_id DESC NULLS LAST);
COMMENT ON INDEX finished_runs_by_status IS
  'Lists and counts, newest first; without a status filter one scan per status, merged. Ordered unlike the primary key, so that lists cannot be planned over that.';
CREATE INDEX finished_runs_by_type
  ON finished_runs (namespace_id, workflow_type, status, run_id DESC NULLS LAST);
COMMENT ON INDEX finished_runs_by_type IS
  'Lists filtered by type: one scan per type and status, so that a rare status costs no more.';
CREATE INDEX finished_runs_by_external_id
  ON finished_runs (namespace_id, external_id, run_id) WHERE external_id IS NOT NULL;
COMMENT ON INDEX finished_runs_by_external_id IS
  'Lookup by external id, and the reuse policies that look back.';
CREATE INDEX finished_runs_by_parent
  ON finished_runs (parent_run_id, status, run_id DESC NULLS LAST)
  WHERE parent_run_id IS NOT NULL;
COMMENT ON INDEX finished_runs_by_parent IS 'Children of a run in lists.';
CREATE INDEX finished_runs_by_schedule
  ON finished_runs (schedule_group_id, status, run_id DESC NULLS LAST)
  WHERE schedule_group_id IS NOT NULL;
COMMENT ON INDEX finished_runs_by_schedule IS 'ListScheduleRuns.';

CREATE TABLE ended_parents (
  run_id       uuid PRIMARY KEY,
  namespace_id text COLLATE "C" NOT NULL,
  ended_at     timestamptz NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_cost_delay = 0);
COMMENT ON TABLE ended_parents IS
  'Ended runs whose children have still to be looked at: nearly empty, so that looking costs nothing and history stays write-once.';

CREATE TABLE workflow_payloads (
  run_id         uuid NOT NULL PRIMARY KEY,
  input          bytea NOT NULL,
  input_metadata jsonb
) PARTITION BY RANGE (run_id);
COMMENT ON TABLE workflow_payloads IS
  'Inputs, written once beside the run, so that updates of the hot row never copy them.';

CREATE TABLE step_runs (
  run_id            uuid NOT NULL,
  step_key          text COLLATE "C" NOT NULL,
  attempt           int NOT NULL,
  -- The order in which the workflow asked for its steps.
  seq               int NOT NULL,
  kind              text COLLATE "C" NOT NULL,
  status            text COLLATE "C" NOT NULL,
  -- Settled steps are replayed; a failed attempt that will be retried is not settled.
  settled           boolean NOT NULL,
  lease_epoch       int NOT NULL,
  worker_id         uuid,
  input             bytea,
  input_metadata    jsonb,
  output            bytea,
  output_metadata   jsonb,
  error             jsonb,
  retry_policy      jsonb,
  retry_at          timestamptz,
  wake_at           timestamptz,
  timeout_at        timestamptz,
  -- An event or child wait that ended because its time was up.
  timed_out         boolean NOT NULL DEFAULT false,
  event_name        text COLLATE "C",
  child_run_id      uuid,
  parallel_group_id text COLLATE "C",
  parent_step_id    text COLLATE "C",
  compensation      boolean NOT NULL DEFAULT false,
  quiet             boolean NOT NULL DEFAULT false,
  -- A marker that opens (1) or closes (-1) a saga; the sum says how many are open.
  saga_change       smallint NOT NULL DEFAULT 0,
  -- Set by RetryWorkflow: kept for the reader, no longer replayed.
  superseded_at     timestamptz,
  started_at        timestamptz,
  finished_at       timestamptz NOT NULL,
  PRIMARY KEY (run_id, step_key, attempt),
  CONSTRAINT a_recorded_attempt_has_ended
    CHECK (status IN ('COMPLETED', 'FAILED', 'CANCELLED', 'INTERRUPTED')),
  CONSTRAINT completed_and_cancelled_steps_are_settled
    CHECK (settled OR status IN ('FAILED', 'INTERRUPTED')),
  CONSTRAINT an_attempt_is_numbered_from_one CHECK (attempt >= 1),
  CONSTRAINT a_step_kind_is_one_of_the_known
    CHECK (kind IN ('FUNCTION', 'SLEEP', 'CHILD_WORKFLOW', 'EVENT', 'MARKER'))
) PARTITION BY RANGE (run_id);
COMMENT ON TABLE step_runs IS 'One row per ended attempt, inserted once.';

CREATE UNIQUE INDEX step_runs_a_step_is_settled_once
  ON step_runs (run_id, step_key) WHERE settled AND superseded_at IS NULL;
COMMENT ON INDEX step_runs_a_step_is_settled_once IS
  'StepStore: INSERT_SETTLED relies on it; HISTORY reads by it.';

CREATE TABLE running_steps (
  run_id       uuid NOT NULL,
  step_key     text COLLATE "C" NOT NULL,
  attempt      int NOT NULL,
  seq          int NOT NULL,
  kind         text COLLATE "C" NOT NULL,
  lease_epoch  int NOT NULL,
  worker_id    uuid NOT NULL,
  at_most_once boolean NOT NULL,
  retry_policy jsonb,
  parallel_group_id text COLLATE "C",
  parent_step_id    text COLLATE "C",
  quiet        boolean NOT NULL DEFAULT false,
  compensation boolean NOT NULL DEFAULT false,
  started_at   timestamptz NOT NULL,
  timeout_at   timestamptz,
  PRIMARY KEY (run_id, step_key)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_cost_delay = 0);
COMMENT ON TABLE running_steps IS
  'Announced attempts that have not ended: those that run longer than 50 ms or must run at most once.';
CREATE INDEX running_steps_timeout ON running_steps (timeout_at) WHERE timeout_at IS NOT NULL;
COMMENT ON INDEX running_steps_timeout IS 'OverdueStore: FIND_OVERDUE_STEPS; NodeStore: BEAT.';

CREATE TABLE run_waits (
  run_id            uuid NOT NULL,
  step_key          text COLLATE "C" NOT NULL,
  seq               int NOT NULL,
  kind              text COLLATE "C" NOT NULL,
  wake_at           timestamptz,
  event_name        text COLLATE "C",
  child_run_id      uuid,
  timeout_at        timestamptz,
  parallel_group_id text COLLATE "C",
  parent_step_id    text COLLATE "C",
  since             timestamptz NOT NULL,
  PRIMARY KEY (run_id, step_key),
  CONSTRAINT a_wait_is_for_a_timer_an_event_a_child_or_a_retry
    CHECK (kind IN ('TIMER', 'EVENT', 'CHILD', 'RETRY')),
  CONSTRAINT a_timer_has_a_time CHECK (kind NOT IN ('TIMER', 'RETRY') OR wake_at IS NOT NULL),
  CONSTRAINT an_event_wait_names_its_event CHECK ((kind = 'EVENT') = (event_name IS NOT NULL))
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
        autovacuum_vacuum_cost_delay = 0);
COMMENT ON TABLE run_waits IS
  'Waits that have begun and not ended; the end deletes the row and settles the step in one transaction.';
CREATE INDEX run_waits_child ON run_waits (child_run_id) WHERE child_run_id IS NOT NULL;
COMMENT ON INDEX run_waits_child IS 'A child''s end finds the wait of its parent.';

CREATE TABLE run_events (
  position         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run_id           uuid NOT NULL,
  namespace_id     text COLLATE "C" NOT NULL,
  event_name       text COLLATE "C" NOT NULL,
  idempotency_key  text COLLATE "C" NOT NULL,
  payload          bytea,
  payload_metadata jsonb,
  sent_at          timestamptz NOT NULL,
  consumed_by      text COLLATE "C",
  consumed_at      timestamptz
);
COMMENT ON TABLE run_events IS
  'Events in acknowledgement order per run (the position is taken while the run''s row is locked); each is consumed by one wait.';
CREATE INDEX run_events_unconsumed
  ON run_events (run_id, event_name, position) WHERE consumed_by IS NULL;
COMMENT ON INDEX run_events_unconsumed IS 'EventStore: CONSUME, COUNT_UNCONSUMED.';
CREATE UNIQUE INDEX run_events_idempotency_key_is_unique_per_run
  ON run_events (run_id, idempotency_key);
COMMENT ON INDEX run_events_idempotency_key_is_unique_per_run IS
  'EventStore: INSERT relies on it; all events of a run, when it is retried or deleted.';

CREATE TABLE run_states (
  run_id         uuid NOT NULL,
  name           text COLLATE "C" NOT NULL,
  namespace_id   text COLLATE "C" NOT NULL,
  lease_epoch    int NOT NULL,
  -- Counts a run's publications, so that a late repetition does not bring back an older value.
  sequence       bigint NOT NULL,
  -- NULL: it was removed, which must be known to refuse what is older.
  value          bytea,
  value_metadata jsonb,
  updated_at     timestamptz NOT NULL,
  PRIMARY KEY (run_id, name)
) WITH (fillfactor = 80);
COMMENT ON TABLE run_states IS 'What a workflow shows to clients through GetState.';

CREATE TABLE child_items (
  run_id          uuid NOT NULL,
  step_key        text COLLATE "C" NOT NULL,
  item_index      int NOT NULL,
  child_run_id    uuid,
  status          text COLLATE "C" NOT NULL,
  input           bytea,
  input_metadata  jsonb,
  output          bytea,
  output_metadata jsonb,
  error           jsonb,
  PRIMARY KEY (run_id, step_key, item_index),
  CONSTRAINT a_child_item_waits_runs_or_has_ended
    CHECK (status IN ('WAITING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT'))
) WITH (fillfactor = 80);
COMMENT ON TABLE child_items IS
  'Children started by a step, one row each: starting is idempotent by this key, not by the child''s id.';
CREATE INDEX child_items_child ON child_items (child_run_id) WHERE child_run_id IS NOT NULL;
COMMENT ON INDEX child_items_child IS 'A child''s end finds its item.';

CREATE TABLE child_maps (
  run_id                uuid NOT NULL,
  step_key              text COLLATE "C" NOT NULL,
  -- What the children have in common; as in workflow_runs.
  workflow_type         text COLLATE "C" NOT NULL,
  task_queue            text COLLATE "C",
  version               text COLLATE "C",
  retry_policy          jsonb,
  step_timeout          interval,
  lease_duration        interval,
  execution_timeout     interval,
  on_failure_workflow   text COLLATE "C",
  on_failure_task_queue text COLLATE "C",
  labels                jsonb,
  traceparent           text,
  parent_close_policy   text COLLATE "C" NOT NULL,
  -- How many children may be live at once; 0: all.
  max_concurrent        int NOT NULL,
  -- Items are started in their order: those below started_count have been, the others wait.
  item_count            int NOT NULL DEFAULT 0,
  started_count         int NOT NULL DEFAULT 0,
  ended_count           int NOT NULL DEFAULT 0,
  -- There are no items after these.
  is_complete           boolean NOT NULL DEFAULT false,
  PRIMARY KEY (run_id, step_key),
  CONSTRAINT children_are_counted_in_the_order_of_their_lives
    CHECK (0 <= ended_count AND ended_count <= started_count AND started_count <= item_count)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_cost_delay = 0);
COMMENT ON TABLE child_maps IS
  'Steps that start one child per item. The counters change under the parent''s lock and are in no index (HOT).';

CREATE TABLE schedule_firings (
  schedule_id uuid NOT NULL,
  fire_at     timestamptz NOT NULL,
  outcome     text COLLATE "C" NOT NULL,
  skip_reason text COLLATE "C",
  run_id      uuid,
  -- Asked for by a person: a trigger or a backfill.
  manual      boolean NOT NULL DEFAULT false,
  recorded_at timestamptz NOT NULL,
  PRIMARY KEY (schedule_id, fire_at),
  CONSTRAINT a_firing_fired_or_was_skipped CHECK (outcome IN ('FIRED', 'SKIPPED')),
  CONSTRAINT only_a_skipped_tick_has_a_reason
    CHECK ((outcome = 'SKIPPED') = (skip_reason IS NOT NULL)),
  CONSTRAINT a_skip_reason_is_one_of_the_known CHECK (skip_reason IN ('CATCHUP', 'OVERLAP')),
  CONSTRAINT only_a_fired_tick_has_a_run CHECK ((outcome = 'FIRED') = (run_id IS NOT NULL))
);
COMMENT ON TABLE schedule_firings IS
  'Every tick of every schedule, once: the primary key is what makes a firing exactly one.';

CREATE TABLE workers (
  worker_id         uuid PRIMARY KEY,
  namespace_id      text COLLATE "C" NOT NULL,
  task_queue        text COLLATE "C" NOT NULL,
  status            text COLLATE "C" NOT NULL,
  hostname          text NOT NULL,
  pid               bigint NOT NULL,
  instance_id       text COLLATE "C" NOT NULL,
  build_version     text NOT NULL DEFAULT '',
  sdk_name          text NOT NULL DEFAULT '',
  sdk_version       text NOT NULL DEFAULT '',
  runtime           text NOT NULL DEFAULT '',
  workflow_types    text[] NOT NULL,
  versions          text[] NOT NULL,
  max_concurrent    int NOT NULL,
  active_count      int NOT NULL DEFAULT 0,
  total_completed   bigint NOT NULL DEFAULT 0,
  total_failed      bigint NOT NULL DEFAULT 0,
  -- The last heartbeat whose counters were added: a repeated one adds nothing.
  last_beat_id      bigint NOT NULL DEFAULT 0,
  -- Counts the streams it opened to any server: a newer one than the broken one is a sign of life.
  streams           bigint NOT NULL DEFAULT 0,
  labels            jsonb,
  -- The server process the worker lives in, when it is embedded: they die together.
  node_id           uuid,
  registered_at     timestamptz NOT NULL,
  last_heartbeat_at timestamptz NOT NULL,
  deregistered_at   timestamptz,
  CONSTRAINT a_worker_is_online_draining_or_offline
    CHECK (status IN ('ONLINE', 'DRAINING', 'OFFLINE')),
  CONSTRAINT a_worker_serves_something
    CHECK (cardinality(workflow_types) > 0 AND cardinality(workflow_types) = cardinality(versions)),
  CONSTRAINT a_worker_has_at_least_one_slot CHECK (max_concurrent >= 1)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500,
        autovacuum_vacuum_cost_delay = 0);
CREATE UNIQUE INDEX workers_one_live_row_per_process
  ON workers (namespace_id, task_queue, hostname, pid, instance_id) WHERE status <> 'OFFLINE';
COMMENT ON INDEX workers_one_live_row_per_process IS 'WorkerStore: REPLACE_OLDER on Register.';
CREATE INDEX workers_live ON workers (namespace_id, task_queue) WHERE status <> 'OFFLINE';
COMMENT ON INDEX workers_live IS 'Who serves a queue; WorkerStore: STALE scans it whole.';
CREATE INDEX workers_by_namespace ON workers (namespace_id, worker_id);
COMMENT ON INDEX workers_by_namespace IS 'WorkerListStore: LIST; heartbeats leave it alone.';

CREATE TABLE worker_events (
  worker_id    uuid NOT NULL,
  event        text COLLATE "C" NOT NULL,
  namespace_id text COLLATE "C" NOT NULL,
  reason       text,
  at           timestamptz NOT NULL,
  PRIMARY KEY (worker_id, at, event),
  CONSTRAINT a_worker_event_is_one_of_the_known
    CHECK (event IN ('STARTED', 'STOPPING', 'STOPPED', 'OFFLINE'))
);
COMMENT ON TABLE worker_events IS 'The life of each worker; heartbeats are not events.';

CREATE TABLE nodes (
  node_id      uuid PRIMARY KEY,
  hostname     text NOT NULL,
  pid          bigint NOT NULL,
  version      text NOT NULL,
  grpc_address text NOT NULL DEFAULT '',
  embedded     boolean NOT NULL DEFAULT false,
  started_at   timestamptz NOT NULL,
  last_beat_at timestamptz NOT NULL
) WITH (fillfactor = 70);
COMMENT ON TABLE nodes IS 'Server processes, embedded ones too; one that is silent is dead.';

CREATE TABLE batches (
  batch_id     uuid PRIMARY KEY,
  namespace_id text COLLATE "C" NOT NULL,
  operation    text COLLATE "C" NOT NULL,
  status       text COLLATE "C" NOT NULL,
  -- As its caller wrote it, for people to read; NULL if he named the runs.
  filter       bytea,
  reason       text NOT NULL DEFAULT '',
  terminate    boolean NOT NULL DEFAULT false,
  -- Runs per second, all servers together; NULL: as fast as it goes.
  rate         double precision,
  -- When the next run may be handled; moved on under the row's lock.
  next_at      timestamptz NOT NULL,
  total        int NOT NULL DEFAULT 0,
  succeeded    int NOT NULL DEFAULT 0,
  failed       int NOT NULL DEFAULT 0,
  skipped      int NOT NULL DEFAULT 0,
  created_at   timestamptz NOT NULL,
  finished_at  timestamptz,
  CONSTRAINT a_batch_retries_cancels_or_deletes CHECK (operation IN ('RETRY', 'CANCEL', 'DELETE')),
  CONSTRAINT a_batch_runs_or_has_ended CHECK (status IN ('RUNNING', 'COMPLETED', 'CANCELLED')),
  CONSTRAINT only_a_running_batch_has_no_end CHECK ((status = 'RUNNING') = (finished_at IS NULL)),
  CONSTRAINT a_rate_is_positive CHECK (rate > 0),
  CONSTRAINT a_batch_handles_no_more_than_all CHECK (succeeded + failed + skipped <= total)
);
COMMENT ON TABLE batches IS
  'One operation on many runs. A server handles some of them while it holds the row''s lock; the counters change with the items.';
CREATE INDEX batches_by_namespace ON batches (namespace_id, batch_id);
COMMENT ON INDEX batches_by_namespace IS 'BatchStore: LIST.';
CREATE INDEX batches_running ON batches (batch_id) WHERE status = 'RUNNING';
COMMENT ON INDEX batches_running IS 'BatchStore: FIND_RUNNING.';

CREATE TABLE batch_items (
  batch_id    uuid NOT NULL,
  run_id      uuid NOT NULL,
  status      text COLLATE "C" NOT NULL,
  -- Why nothing was done: the stable reason, and in words.
  reason      text COLLATE "C",
  message     text,
  finished_at timestamptz,
  PRIMARY KEY (batch_id, run_id),
  CONSTRAINT a_batch_item_is_pending_or_has_a_result
    CHECK (status IN ('PENDING', 'SUCCEEDED', 'FAILED', 'SKIPPED')),
  CONSTRAINT only_a_pending_batch_item_has_no_end
    CHECK ((status = 'PENDING') = (finished_at IS NULL))
) WITH (fillfactor = 80);
COMMENT ON TABLE batch_items IS 'Which runs a batch acts on, written down when it starts.';
CREATE INDEX batch_items_pending ON batch_items (batch_id, run_id) WHERE status = 'PENDING';
COMMENT ON INDEX batch_items_pending IS 'BatchItemStore: TAKE, SKIP_PENDING.';
