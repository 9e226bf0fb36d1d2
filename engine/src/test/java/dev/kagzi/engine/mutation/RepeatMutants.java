package dev.kagzi.engine.mutation;

import java.util.stream.Stream;

/** Of repetitions: what lost replies and races for a name must not do twice (promise 4). */
final class RepeatMutants {

  private RepeatMutants() {}

  static Stream<Mutant> all() {
    return Stream.concat(starts(), others());
  }

  private static Stream<Mutant> starts() {
    return Stream.of(
        Mutant.of("request-id-in-history", 4, "the look for an ended run with a request id")
            .edit("store/StartStore", "payloads.run_id IS NOT NULL AS is_new", "true AS is_new")
            .noticedBy("ThinPathTest", "startsARunOnceHoweverOftenItsRequestIdIsSent"),
        Mutant.of("second-statement", 4, "the second statement that reads the run in the way")
            .edit(
                "store/StartStore",
                "AND external_id = a.external_id\n        LIMIT 1) r\n",
                "AND external_id = a.external_id AND false\n        LIMIT 1) r\n")
            .noticedByRace("start / start"),
        Mutant.of("external-id-unique", 4, "the unique index of external ids")
            .edit(
                Edit.schema(
                    "DROP INDEX IF EXISTS"
                        + " kagzi.workflow_runs_external_id_is_unique_among_live_runs"))
            .noticedByRace("start / start"),
        Mutant.of("reuse-policy", 4, "the look of the reuse policy into history")
            .edit(
                "commit/StartWriter",
                "last != null && run.request().reusePolicy().forbids(last.status())",
                "false")
            .noticedBy("ThinPathTest", "looksBackWhenTheReusePolicySaysSo")
            .noticedByRace("start (REJECT) / finish (COMPLETED)"),
        Mutant.of("reuse-look-after-insert", 4, "the undoing of a start that was forbidden")
            .edit("commit/StartWriter", "store.undoNew(tx, forbidding.keySet());", "")
            .noticedByRace("start (REJECT) / finish (COMPLETED)"),
        Mutant.of("start-again", 4, "another try when the run in the way has ended")
            .edit(
                "commit/BatchWriter",
                "private static final int ROUNDS = 3;",
                "private static final int ROUNDS = 1;")
            .noticedByRace("start (ALLOW) / finish (COMPLETED)"));
  }

  private static Stream<Mutant> others() {
    return Stream.of(
        Mutant.of("repeated-end", 4, "the answer to the repetition of an end")
            .edit(
                "commit/FinishWriter",
                "ended.epoch() == fence.epoch()",
                "ended.epoch() != fence.epoch()")
            .noticedBy("ThinPathTest", "answersARepeatedCallAsTheFirstTime")
            .noticedByRace("complete run / complete run again"),
        Mutant.of("repeated-result", 4, "the answer to the repetition of a result")
            .edit("domain/RecordedStep", "return this.attempt == attempt", "return false")
            .noticedBy("ThinPathTest", "answersARepeatedCallAsTheFirstTime"),
        Mutant.of("claim-id", 4, "the claim id by which a repeated poll is known")
            .edit("store/ClaimStore", "AND r.claim_id = asked.claim_id", "AND false")
            .noticedBy(
                "operation.DispatcherTest", "answersARepeatedPollWithTheRunsItClaimedBefore"),
        Mutant.of("claim-id-owner", 4, "the worker in the look for what a poll has claimed")
            .edit(
                "store/ClaimStore",
                "ON r.locked_by = asked.worker_id AND r.claim_id",
                "ON r.locked_by IS NOT NULL AND r.claim_id")
            .edit("store/ClaimStore", "AND r.locked_by = ANY(:workers::uuid[])\n", "\n")
            .edit("store/ClaimStore", "AND locked_by = ANY(:workers::uuid[])\n", "\n")
            .noticedBy(
                "operation.DispatcherTest", "givesAnotherWorkerNothingOfThePollWhoseIdItShows"),
        Mutant.of("event-key", 4, "the key that makes an event one")
            .edit("store/EventStore", "ON CONFLICT (run_id, idempotency_key) DO NOTHING\n", "\n")
            .edit(
                Edit.schema(
                    "DROP INDEX IF EXISTS kagzi.run_events_idempotency_key_is_unique_per_run"))
            .noticedByRace("event / event"),
        Mutant.of("beat-id", 4, "the number by which a repeated heartbeat is known")
            .edit("store/WorkerStore", "b.beat_id <> 0 AND b.beat_id = w.last_beat_id", "false")
            .noticedBy("WorkersTest", "countsWhatARepeatedHeartbeatReportsOnce"),
        Mutant.of("retry-expected", 4, "the recognition of a repeated RetryWorkflow")
            .edit("operation/Retries", "run.retries() == expected + 1", "run.retries() < 0")
            .noticedBy("operation.RetriesTest", "areRepeatedSafelyByWhoeverSaysWhatHeSaw")
            .noticedByRace("retry / retry"),
        Mutant.of("child-of-step", 4, "the look for the child that a step has started")
            .edit(
                "commit/ChildWriter",
                "RunId child = children.get(step(command));",
                "RunId child = children.get(new Step(command.runId(), \"\"));")
            .noticedBy("ChildTest", "aStepStartsOneChildAndBothKnowEachOther"));
  }
}
