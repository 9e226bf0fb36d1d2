package dev.kagzi.engine.mutation;

import java.util.stream.Stream;

/** Of ends and results: one each, and none that was acknowledged is lost (promises 1 and 2). */
final class ResultMutants {

  private static final String PLAIN = "store/PlainResultStore";
  private static final String RUN_LOCK = "ORDER BY run_id\n      FOR NO KEY UPDATE\n";

  private ResultMutants() {}

  static Stream<Mutant> all() {
    return Stream.concat(ends(), results());
  }

  private static Stream<Mutant> ends() {
    return Stream.of(
        Mutant.of("reply-after-commit", 1, "waiting for the commit before the reply")
            .edit(
                "commit/BatchWriter",
                "Answers answers = writeAsNew(Batch.of(tickets).counting(suspects), offer);",
                "Answers answers = database.inTransaction(tx -> {"
                    + " Answers early = write(tx, Batch.of(tickets), offer, true);"
                    + " tickets.stream().filter(t -> !early.isAgain(t.command()))"
                    + ".forEach(early::give);"
                    + " return early; });")
            .noticedBy("UnansweredTest", "aStartIsAnsweredAfterItsCommit"),
        Mutant.of("beat-after-commit", 1, "waiting for the commit before a heartbeat's reply")
            .edit(
                "commit/HeartbeatBatch",
                "database.inTransaction(tx -> write(tx, tickets));",
                "database.inTransaction(tx -> {"
                    + " List<Reply> early = write(tx, tickets);"
                    + " for (int i = 0; i < tickets.size(); i++) {"
                    + " tickets.get(i).answer().complete(early.get(i)); }"
                    + " return early; });")
            .noticedBy("UnansweredTest", "aHeartbeatIsAnsweredAfterItsCommit"),
        Mutant.of("locks-first", 1, "the locks that a batch takes before it decides")
            .edit("store/RunStore", RUN_LOCK, "ORDER BY run_id\n")
            .edit(PLAIN, "FOR NO KEY UPDATE) AS locked", ") AS locked")
            .noticedByRace("complete run / cancel")
            .noticedBy("FenceTest", "waitsForATakeOverThatIsUnderWay"),
        Mutant.of("lock-order", 1, "the one order of these locks: they are taken as they come")
            .edit(
                "store/RunStore",
                RUN_LOCK,
                "ORDER BY array_position(:runIds::uuid[], run_id)\n      FOR NO KEY UPDATE\n")
            .edit(
                "commit/Batch",
                "touched = new HashSet<>();",
                "touched = new java.util.LinkedHashSet<>();")
            .noticedBy("commit.BatchOrderTest", "locksAreTakenInOneOrderHoweverTheCommandsCome")
            .deadlocking(),
        Mutant.of("start-order", 1, "the one order in which starts take external ids")
            .edit("store/StartStore", "ORDER BY a.namespace_id, a.external_id, a.run_id\n", "\n")
            .noticedBy("commit.BatchOrderTest", "externalIdsAreTakenInOneOrderHoweverTheStartsCome")
            .deadlocking(),
        Mutant.of("compare-and-move", 1, "the comparison in the move to history")
            .edit(
                "store/FinishStore",
                "(r.status = 'RUNNING' AND r.lease_epoch = e.held_epoch",
                "(true")
            .edit(
                "commit/FinishWriter",
                "commands.stream().filter(command -> runs.isHeldUnder(command.fence())).toList();",
                "commands;")
            .noticedByRace("complete run / sweep"),
        Mutant.of("claim-lock", 1, "FOR UPDATE SKIP LOCKED of the claim")
            .edit("store/ClaimStore", "FOR UPDATE SKIP LOCKED) d", ") d")
            .noticedByRace("claim / claim"));
  }

  private static Stream<Mutant> results() {
    return Stream.of(
        Mutant.of("once-per-subject-step", 2, "one result of a step in a batch")
            .edit(
                "commit/Lane",
                "!postponed.containsKey(about) && subjects.add(about)",
                "subjects.add(about) || true")
            .noticedBy("commit.RushTest", "ofTwoResultsOfAStepOneIsRecordedAndTheOtherIsToldWhich"),
        Mutant.of("settled-once", 2, "the unique index of settled steps")
            .edit(Edit.schema("DROP INDEX IF EXISTS kagzi.step_runs_a_step_is_settled_once"))
            .noticedBy("ThinPathTest", "tellsALaterAttemptOfTheSameWorkerWhatWasSettledBefore"),
        Mutant.of("written-by-attempt", 2, "the attempt in the recognition of a repetition")
            .edit("domain/RecordedStep", "this.attempt == attempt && ", "")
            .noticedBy("ThinPathTest", "tellsALaterAttemptOfTheSameWorkerWhatWasSettledBefore"),
        Mutant.of("written-by-epoch", 2, "the epoch in the recognition of a repetition")
            .edit("domain/RecordedStep", "this.epoch == epoch && ", "")
            .noticedBy("ThinPathTest", "keepsTheFirstResultOfAStepAndTellsTheSecondCaller"),
        Mutant.of("late-announcement", 2, "the dropping of announcements that come too late")
            .edit("store/StepStore", "AND (s.settled OR s.attempt >= b.attempt))", "AND false)")
            .noticedBy("FenceTest", "dropsTheAnnouncementOfAnAttemptThatIsOver"),
        Mutant.of("interrupted-attempt", 2, "the end of attempts whose worker is lost")
            .edit(
                "operation/Recovery",
                "    steps.interrupt(tx, runIds, now);\n    Map<RunId, Integer> crashes",
                "    Map<RunId, Integer> crashes")
            .noticedByRace("complete step / sweep"));
  }
}
