package dev.kagzi.engine.mutation;

import java.util.stream.Stream;

/** Of ticks, timers and what wakes a run (promises 5 and 6). */
final class TimeMutants {

  private TimeMutants() {}

  static Stream<Mutant> all() {
    return Stream.concat(ticks(), waits());
  }

  private static Stream<Mutant> ticks() {
    return Stream.of(
        Mutant.of("unique-tick", 5, "the primary key of ticks")
            .edit(
                "store/FiringStore",
                "\"ON CONFLICT (schedule_id, fire_at) DO NOTHING RETURNING fire_at\"",
                "\"RETURNING fire_at\"")
            .edit(
                Edit.schema(
                    "ALTER TABLE kagzi.schedule_firings"
                        + " DROP CONSTRAINT IF EXISTS schedule_firings_pkey"))
            .noticedBy(
                "FiringTest", "aTickThatIsWrittenDownNeverFiresAgainWhateverTheTemplateSays"),
        Mutant.of("tick-and-run-together", 5, "the writing of a tick with its run")
            .edit(
                "operation/Firings",
                "wanted.stream().filter(firing ->"
                    + " taken.contains(firing.tick().fireAt())).toList();",
                "wanted;")
            .noticedBy(
                "FiringTest", "aTickThatIsWrittenDownNeverFiresAgainWhateverTheTemplateSays"),
        Mutant.of("watermark", 5, "the advance of a schedule in the firing transaction")
            .edit(
                "operation/Firings",
                "store.advance(tx, scheduleId, firedUpTo, next,",
                "store.advance(tx, scheduleId, schedule.firedUpTo(), next,")
            .noticedBy("FiringTest", "aLongStandstillIsWorkedOffInPartsWithoutLosingATick"));
  }

  private static Stream<Mutant> waits() {
    return Stream.of(
        Mutant.of("not-early", 6, "the due time in the claim")
            .edit(
                "store/ClaimStore",
                "AND available_at BETWEEN served.floor AND :now",
                "AND available_at >= served.floor")
            .noticedBy("ThinPathTest", "handsOutNothingWhoseTimeHasNotCome"),
        Mutant.of("first-wake-time", 6, "the first recorded wake-up time: the last one wins")
            .edit(
                "store/WaitStore",
                "WHERE run_waits.kind = 'RETRY' AND EXCLUDED.kind = 'RETRY'",
                "WHERE true")
            .noticedBy("DueTimesTest", "isNotMovedByASleepThatIsAskedForAgain"),
        Mutant.of("timer-settled", 6, "the settling of a timer that has rung")
            .edit("operation/Claims", "waits.endDue(tx, resumed, now);", "")
            .noticedBy("ThinPathTest", "wakesTheRunWhenItsSleepIsOverAndRemembersTheSleep"),
        Mutant.of("earliest-timer", 6, "the earliest of several timers")
            .edit(
                "store/WaitStore",
                "COALESCE(min(LEAST(w.wake_at, w.timeout_at)), :never)",
                "COALESCE(max(LEAST(w.wake_at, w.timeout_at)), :never)")
            .noticedBy("DueTimesTest", "isTheEarliestOfSeveralTimers"),
        Mutant.of("event-second-look", 6, "the look for events after the wait is written")
            .edit(
                "commit/SuspendWriter", "if (!forEvents.isEmpty()) {", "if (forEvents.isEmpty()) {")
            .noticedByRace("event / wait"),
        Mutant.of("event-wakes", 6, "the waking of the run that an event comes to")
            .edit(
                "store/WaitStore",
                "SET available_at = :now\n",
                "SET available_at = r.available_at\n")
            .noticedByRace("event / wait"),
        Mutant.of("child-second-look", 6, "the look for ended children after the wait is written")
            .edit("commit/SuspendWriter", "    lookForChildren(tx, held, now);\n  }", "  }")
            .noticedByRace("child end / parent wait"),
        Mutant.of("parent-locked", 6, "the lock of the parent when its child ends")
            .edit(
                "store/RunStore",
                "WHERE run_id = ANY(:ending::uuid[]) AND parent_run_id IS NOT NULL))",
                "WHERE run_id = ANY(:ending::uuid[]) AND false))")
            .noticedByRace("child end / child end"));
  }
}
