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
 * <p>Thread-safe.
 */
public final class GroupCommit implements AutoCloseable {

  /** New work is turned away long before results of work that is already done. */
  private static final double START_URGENCY = 0.5;

  private static final double RESULT_URGENCY = 1.0;

  private final List<Lane<Ticket<Command<?>>>> lanes = new ArrayList<>();

  /** How many transactions at once, and how many commands in each. */
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
      lanes.add(
          new Lane<>(
              Integer.toString(i),
              size.maxBatch(),
              ticket -> ticket.command().subject(),
              writer::write));
    }
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
    submit(ticket);
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
    Object key = command instanceof Command.Start start ? start.contested() : command.runId();
    return lanes.get(Math.floorMod(key.hashCode(), lanes.size()));
  }

  @Override
  public void close() {
    lanes.forEach(Lane::close);
  }
}
