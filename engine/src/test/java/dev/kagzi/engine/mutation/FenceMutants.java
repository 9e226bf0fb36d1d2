package dev.kagzi.engine.mutation;

import java.util.stream.Stream;

/** Of fences: each kind of worker write without its own (promise 3). */
final class FenceMutants {

  private static final String WRITES = "FencedWritesTest";
  private static final String REPORTED =
      "AND w.lease_epoch = r.lease_epoch AND w.status = 'RUNNING'";
  private static final String HANDED = "AND r.lease_epoch = a.lease_epoch AND r.status = 'RUNNING'";

  private static final String HOLDS = "isHeldUnder(";
  private static final String GROWS = "mayGrowUnder(";

  private FenceMutants() {}

  static Stream<Mutant> all() {
    return Stream.concat(writes(), leases());
  }

  /** The fence is looked at under the lock, and by some statements once more. Both go. */
  private static Mutant without(String id, String write, String writer, String... looks) {
    Mutant mutant =
        Mutant.of("fence-" + id, 3, "the fence of " + write)
            .edit(
                "commit/HeldRuns",
                "boolean isHeldUnder(Fence fence) {",
                "boolean isThere(Fence fence) { return live.containsKey(fence.runId()); }\n"
                    + "  boolean isHeldUnder(Fence fence) {");
    for (String look : looks) {
      mutant = mutant.edit("commit/" + writer, look, "isThere(");
    }
    return mutant;
  }

  private static Stream<Mutant> writes() {
    return Stream.of(
        without("begin-step", "BeginStep", "StepWriter", HOLDS)
            .edit(
                "store/StepStore", "AND w.lease_epoch = b.lease_epoch AND w.status", "AND w.status")
            .noticedBy(WRITES, "aZombieCannotBeginAStep"),
        without("complete-step", "CompleteStep", "StepWriter", HOLDS, GROWS)
            .noticedBy(WRITES, "aZombieCannotCompleteAStep"),
        without("fail-step", "FailStep", "FailureWriter", HOLDS, GROWS)
            .edit("store/FailureStore", REPORTED, "")
            .noticedBy(WRITES, "aZombieCannotFailAStep"),
        without("suspend", "Suspend and Sleep", "SuspendWriter", GROWS)
            .edit(
                "store/WaitStore", "AND w.lease_epoch = t.lease_epoch AND w.status", "AND w.status")
            .edit(
                "store/WaitStore", "AND r.lease_epoch = s.lease_epoch AND r.status", "AND r.status")
            .noticedBy(WRITES, "aZombieCannotSuspendARun")
            .noticedBy(WRITES, "aZombieCannotRecordAWait"),
        without("publish", "PublishState", "StateWriter", HOLDS)
            .noticedBy(WRITES, "aZombieCannotShowAState"),
        without("finish", "CompleteWorkflow, FailWorkflow and continueAs", "FinishWriter", HOLDS)
            .edit("store/FinishStore", "AND r.lease_epoch = e.held_epoch", "")
            .noticedBy(WRITES, "aZombieCannotCompleteARun")
            .noticedBy(WRITES, "aZombieCannotFailARun")
            .noticedBy(WRITES, "aZombieCannotContinueARunAsAnother"),
        Mutant.of("fence-release", 3, "the fence of ReleaseTask")
            .edit("commit/ReleaseWriter", "run.isHeldUnder(fence)", "true")
            .edit("store/ReleaseStore", HANDED, "AND r.status = 'RUNNING'")
            .noticedBy(WRITES, "aZombieCannotReleaseARun")
            .noticedBy(WRITES, "aZombieCannotParkARun"),
        without("start-child", "StartChild", "ChildWriter", GROWS)
            .noticedBy(WRITES, "aZombieCannotStartAChild"),
        without("add-items", "AddChildItems", "ItemWriter", GROWS)
            .noticedBy(WRITES, "aZombieCannotAddItems"),
        Mutant.of("fence-history", 3, "the fence of GetHistory and ListChildResults")
            .edit("operation/Histories", " || run.epoch() != fence.epoch()", "")
            .noticedBy(WRITES, "aZombieCannotReadTheHistory")
            .noticedBy(WRITES, "aZombieCannotReadTheResultsOfChildren"),
        Mutant.of("fence-heartbeat", 3, "the epoch in the heartbeat")
            .edit("store/LeaseStore", "AND r.lease_epoch = h.lease_epoch", "")
            .noticedBy(WRITES, "aWorkerThatHoldsTheRunAgainCannotExtendItsEarlierClaim"),
        Mutant.of("epoch-raised", 3, "the raising of the epoch by a claim")
            .edit(
                "store/ClaimStore",
                "lease_epoch = r.lease_epoch + 1",
                "lease_epoch = GREATEST(1, r.lease_epoch)")
            .noticedBy("FenceTest", "refusesEveryWriteWhenTheRunHasItsNextWorker"),
        Mutant.of("handoff-epoch", 3, "the raising of the epoch by a start that hands its run over")
            .edit(
                "store/ClaimStore",
                "lease_epoch = r.lease_epoch + 1, started_at = :now",
                "lease_epoch = r.lease_epoch, started_at = :now")
            .noticedBy("operation.HandoffTest", "handsTheInputOverAndTheWorkerCanGoOn"));
  }

  private static Stream<Mutant> leases() {
    return Stream.of(
        Mutant.of("lease-owner", 3, "the worker in the heartbeat")
            .edit("store/LeaseStore", "\n            AND r.locked_by = h.worker_id", "")
            .noticedBy("LeaseTest", "isNotExtendedForAnotherWorker"),
        Mutant.of("lease-set", 3, "the setting of the lease's end: it is added to")
            .edit("store/LeaseStore", ":now + COALESCE(", "r.lease_until + COALESCE(")
            .noticedBy("LeaseTest", "isSetByEachBeatAndNeverAddsUp"),
        Mutant.of("lease-not-shortened", 3, "the care that a lease never ends earlier")
            .edit("store/LeaseStore", "GREATEST(r.lease_until,\n", "(\n")
            .noticedBy("LeaseTest", "isNeverShortened")
            .noticedByRace("heartbeat / heartbeat of an earlier time"),
        Mutant.of("sweep-second-look", 3, "the sweeper's second look under the locks")
            .edit(
                "store/LeaseStore",
                "WHERE run_id = ANY(:runIds::uuid[]) AND status = 'RUNNING' AND lease_until <"
                    + " :before",
                "WHERE run_id = ANY(:runIds::uuid[]) AND :before::timestamptz IS NOT NULL")
            .noticedByRace("heartbeat / sweep"),
        Mutant.of("offline-worker", 3, "the refusal of heartbeats of workers that were given up")
            .edit(
                "commit/HeartbeatBatch",
                ".filter(ticket -> draining.containsKey(ticket.command().beat().worker()))",
                "")
            .noticedBy("LeaseTest", "isNotExtendedForAWorkerThatIsOffline"),
        Mutant.of("handoff-online", 3, "the look whether who waits for a start is online")
            .edit(
                "store/ClaimStore",
                "w.worker_id = a.worker_id AND w.status = 'ONLINE'",
                "w.worker_id = a.worker_id")
            .noticedBy("operation.HandoffTest", "nothingIsHandedToAWorkerWhoWasGivenUp"),
        Mutant.of("claim-version", 3, "the version in the claim")
            .edit(
                "store/ClaimStore",
                "AND version = served.version\n            AND status",
                "AND status")
            .noticedBy("operation.DispatcherTest", "handsARunOnlyToAPollThatServesItsVersion"));
  }
}
