package dev.kagzi.engine.commit;

import dev.kagzi.core.RetryPolicy;
import dev.kagzi.engine.domain.EngineException;
import dev.kagzi.engine.domain.Heard;
import dev.kagzi.engine.domain.StepCap;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.wakeup.Signals;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/**
 * The one door for starts, step results and transitions. Callers wait on their own (virtual)
 * threads; a command's lane follows from its run, so that commands of one run keep their order.
 *
 * <p>Starts have a lane of their own. Among results they would turn every batch into a mixed one,
 * and only batches of nothing but results are one round trip ({@link ShortWay}).
 *
 * <p>Thread-safe.
 */
public final class GroupCommit implements AutoCloseable {

  /** New work is turned away long before results of work that is already done. */
  private static final double START_URGENCY = 0.5;

  private static final double RESULT_URGENCY = 1.0;

  private final List<Lane<Ticket<Command<?>>>> lanes = new ArrayList<>();
  private final Lane<Ticket<Command<?>>> starts;

  /** How many transactions at once, beside the one of starts, and how many commands in each. */
  public record Size(int lanes, int maxBatch) {}

  /**
   * What is decided where a command leaves it open.
   *
   * @param retry the server's default
   * @param steps how many steps a run may have
   */
  public record Rules(RetryPolicy retry, StepCap steps) {}

  public GroupCommit(
      Database database,
      InstantSource clock,
      Endings endings,
      Signals signals,
      Size size,
      Rules rules) {
    BatchWriter writer = new BatchWriter(database, clock, endings, signals, rules);
    for (int i = 0; i < size.lanes(); i++) {
      lanes.add(lane(Integer.toString(i), size.maxBatch(), writer));
    }
    starts = lane("starts", size.maxBatch(), writer);
  }

  private static Lane<Ticket<Command<?>>> lane(String name, int maxBatch, BatchWriter writer) {
    return new Lane<>(name, maxBatch, ticket -> ticket.command().subject(), writer::write);
  }

  /**
   * Carries out a command and returns its answer after the commit.
   *
   * @throws EngineException if it was refused
   */
  public <R> R commit(Command<R> command) {
    return commitAndHear(command).outcome();
  }

  /**
   * The same for a worker, who also hears whether the run has been asked to end.
   *
   * @throws EngineException if it was refused
   */
  public <R> Heard<R> commitAndHear(Command<R> command) {
    Ticket<Command<?>> ticket = new Ticket<>(command);
    submit(ticket);
    return heard(command, Waiting.on(ticket.answer()));
  }

  /**
   * The same without a thread that waits: the hottest calls of workers would have one each, only to
   * pass an answer on.
   *
   * @throws EngineException if it is refused at once; the listener hears nothing then
   */
  public <R> void commitThen(Command<R> command, CommitListener<R> listener) {
    Ticket<Command<?>> ticket = new Ticket<>(command, listener::allAnswered);
    // Before it can be answered, so that the answer is always heard before all are.
    var unused =
        ticket
            .answer()
            .whenComplete((answer, refusal) -> {
              if (refusal == null) {
                listener.committed(heard(command, answer));
              } else {
                listener.refused(refusal);
              }
            });
    if (!listener.mayWait() || !laneOf(command).writeHere(ticket)) {
      submit(ticket);
    }
  }

  private void submit(Ticket<Command<?>> ticket) {
    Command<?> command = ticket.command();
    double urgency = command instanceof Command.Start ? START_URGENCY : RESULT_URGENCY;
    laneOf(command).submit(ticket, urgency);
  }

  @SuppressWarnings({"unchecked", "unused"}) // Answers.answer pairs every command with its type.
  private static <R> Heard<R> heard(Command<R> command, Object answer) {
    return (Heard<R>) answer;
  }

  private Lane<Ticket<Command<?>>> laneOf(Command<?> command) {
    return command instanceof Command.Start
        ? starts
        : lanes.get(Math.floorMod(command.runId().hashCode(), lanes.size()));
  }

  @Override
  public void close() {
    starts.close();
    lanes.forEach(Lane::close);
  }
}
