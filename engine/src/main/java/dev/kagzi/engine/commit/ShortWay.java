package dev.kagzi.engine.commit;

import dev.kagzi.engine.domain.FinishOutcome;
import dev.kagzi.engine.domain.RunEnding;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.RunStatus;
import dev.kagzi.engine.domain.RunTarget;
import dev.kagzi.engine.domain.SagaMarker;
import dev.kagzi.engine.domain.StepOutcome;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.jdbc.DatabaseException;
import dev.kagzi.engine.store.PlainResultStore;
import dev.kagzi.engine.store.PlainResultStore.Outcome;
import dev.kagzi.engine.store.PlainResultStore.Plain;
import dev.kagzi.engine.store.PlainResultStore.Written;
import dev.kagzi.engine.wakeup.DoneSignals;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/**
 * Writes batches in which nothing is but results of steps and runs, as nearly all are, in one round
 * trip. It takes the same locks and looks at the same fences as {@link BatchWriter}, but decides
 * nothing: where there is something to decide it writes nothing, and leaves it to the other.
 */
final class ShortWay {

  /** Ends that are read for those who await them; each may bring an output of two megabytes. */
  private static final int MAX_AWAITED = 50;

  private final Database database;
  private final InstantSource clock;
  private final DoneSignals done;
  private final PlainResultStore store = new PlainResultStore();

  ShortWay(Database database, InstantSource clock, DoneSignals done) {
    this.database = database;
    this.clock = clock;
    this.done = done;
  }

  /** Whether a command can be carried out here, as far as it can be told from itself. */
  static boolean isOpenTo(Command<?> command) {
    return switch (command) {
      case Command.CompleteStep step ->
          step.result().saga() == SagaMarker.NONE && step.cancelled().isEmpty();
      case Command.Finish finish -> finish.ending() instanceof RunEnding.Completed;
      default -> false;
    };
  }

  /**
   * Carries out what it can.
   *
   * @return answers for what has been committed; those that have none are still to be carried out,
   *     or have been without anybody knowing
   */
  Answers write(List<? extends Command<?>> commands) {
    Answers answers = new Answers();
    Instant now = clock.instant();
    List<Plain> results = commands.stream().map(ShortWay::plain).toList();
    Outcome outcome;
    try {
      outcome = database.atOnce(tx -> store.write(tx, results, awaited(commands), now));
    } catch (DatabaseException failure) {
      return answers;
    }
    outcome.written().forEach(row -> answer(commands.get(row.index()), row, answers, now));
    outcome.ends().forEach(answers::endKnown);
    return answers;
  }

  private static Plain plain(Command<?> command) {
    return switch (command) {
      case Command.CompleteStep step -> new Plain(step.fence(), step.worker(), step.result(), null);
      case Command.Finish finish when finish.ending() instanceof RunEnding.Completed completed ->
          new Plain(finish.fence(), null, null, completed.output());
      default -> throw new IllegalArgumentException("not plain: " + command.getClass());
    };
  }

  private List<RunId> awaited(List<? extends Command<?>> commands) {
    return commands.stream()
        .filter(Command.Finish.class::isInstance)
        .map(command -> command.runId())
        .filter(done::isAwaited)
        .limit(MAX_AWAITED)
        .toList();
  }

  private static void answer(Command<?> command, Written row, Answers answers, Instant now) {
    if (row.stop() != null) {
      answers.stopRequested(command.runId(), row.stop());
    }
    if (command instanceof Command.CompleteStep step) {
      answers.answer(step, new StepOutcome.Recorded());
      answers.tally().noteAttempt(row.run().workflowType(), step.result(), now);
    } else if (command instanceof Command.Finish finish) {
      answers.answer(finish, new FinishOutcome.Ended(RunStatus.COMPLETED, List.of()));
      answers.runDone(finish.runId());
      Duration took = Duration.between(row.createdAt(), now);
      RunTarget run = row.run();
      answers.tally().note(to -> to.runFinished(run, RunStatus.COMPLETED, took));
    }
  }
}
