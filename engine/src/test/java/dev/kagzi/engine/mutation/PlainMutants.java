package dev.kagzi.engine.mutation;

import java.util.stream.Stream;

/** Of what the short way of results takes over from the usual one, and of what it leaves to it. */
final class PlainMutants {

  private static final String STORE = "store/PlainResultStore";
  private static final String WRITES = "FencedWritesTest";
  private static final String SHORT_WAY = "commit.ShortWayTest";

  private PlainMutants() {}

  static Stream<Mutant> all() {
    return Stream.concat(fences(), ends());
  }

  private static Stream<Mutant> fences() {
    return Stream.of(
        Mutant.of("plain-fence", 3, "the fence of plain results")
            .edit(STORE, "AND r.lease_epoch = c.lease_epoch AND", "AND")
            .noticedBy(WRITES, "aZombieCannotCompleteAStep")
            .noticedBy(SHORT_WAY, "whoHasLostTheRunChangesNothing"),
        Mutant.of("plain-namespace", 7, "the namespace in the fence of plain results")
            .edit(STORE, "AND r.namespace_id = c.namespace_id", "")
            .noticedBy("ThinPathTest", "hidesRunsOfOtherNamespaces"),
        Mutant.of("plain-lock", 3, "the locks of plain results")
            .edit(STORE, "FOR NO KEY UPDATE) AS locked", ") AS locked")
            .noticedBy("FenceTest", "waitsForATakeOverThatIsUnderWay"),
        Mutant.of("plain-lock-order", 1, "the one order of these locks")
            .edit(
                STORE,
                "ORDER BY run_id\n        FOR",
                "ORDER BY array_position(:locked::uuid[], run_id)\n        FOR")
            .noticedBy("commit.BatchOrderTest", "resultsLockInTheSameOrder")
            .deadlocking());
  }

  private static Stream<Mutant> ends() {
    return Stream.of(
        Mutant.of("plain-end-in-saga", 1, "leaving the end of a run in a saga to who refuses it")
            .edit(STORE, "AND r.open_sagas = 0", "")
            .noticedBy("SagaTest", "noWorkerEndsARunInsideASaga"),
        Mutant.of("plain-end-of-child", 6, "leaving the end of a child to who tells its parent")
            .edit(STORE, "r.parent_run_id IS NULL AND ", "")
            .noticedBy("ChildTest", "aParentThatNeedsAllItsChildrenIsWokenOnceByTheLast"),
        Mutant.of("plain-end-with-wait", 1, "leaving the end of a run that waits")
            .edit(
                STORE,
                "AND NOT EXISTS (\n"
                    + "                       SELECT 1 FROM kagzi.run_waits x WHERE x.run_id ="
                    + " r.run_id OFFSET 0)",
                "")
            .noticedBy(SHORT_WAY, "aRunThatWaitsForSomethingIsNotEnded"),
        Mutant.of("plain-end-with-step", 1, "leaving the end of a run with a step under way")
            .edit(
                STORE,
                "SELECT 1 FROM kagzi.running_steps x WHERE x.run_id = r.run_id",
                "SELECT 1 WHERE false")
            .noticedBy(SHORT_WAY, "aRunWithAStepUnderWayIsNotEnded"));
  }
}
