package dev.kagzi.engine.commit;

import dev.kagzi.engine.domain.RunId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Commands that will share a transaction, sorted by kind. */
final class Batch {

  final List<Command.Start> starts = new ArrayList<>();
  final List<Command.StartChild> children = new ArrayList<>();
  final List<Command.AddItems> items = new ArrayList<>();
  final List<Command.BeginStep> beginnings = new ArrayList<>();
  final List<Command.CompleteStep> completions = new ArrayList<>();
  final List<Command.FailStep> failures = new ArrayList<>();
  final List<Command.Suspend> suspensions = new ArrayList<>();
  final List<Command.SendEvent> events = new ArrayList<>();
  final List<Command.PublishState> states = new ArrayList<>();
  final List<Command.Finish> finishes = new ArrayList<>();
  final List<Command.Cancel> cancels = new ArrayList<>();
  final List<Command.Release> releases = new ArrayList<>();

  /** The live runs the commands may touch; a start's run does not exist yet. */
  final Set<RunId> touched = new HashSet<>();

  /** Those among them that may end. */
  final Set<RunId> ending = new HashSet<>();

  /** The run of each command that adds a step to its history: as often as it does. */
  final List<RunId> growing = new ArrayList<>();

  /** Runs whose steps are counted before they get one more. */
  Set<RunId> suspects = Set.of();

  /** The same, with steps counted for some runs. */
  Batch counting(Set<RunId> runs) {
    suspects = runs;
    return this;
  }

  static Batch of(List<Ticket<Command<?>>> tickets) {
    Batch batch = new Batch();
    tickets.forEach(ticket -> batch.add(ticket.command()));
    return batch;
  }

  private void add(Command<?> command) {
    if (!(command instanceof Command.Start)) {
      touched.add(command.runId());
    }
    if (command instanceof Command.Finish || command instanceof Command.Cancel) {
      ending.add(command.runId());
    }
    if (command instanceof Command.StartChild
        || command instanceof Command.AddItems
        || command instanceof Command.CompleteStep
        || command instanceof Command.FailStep
        || command instanceof Command.Suspend) {
      growing.add(command.runId());
    }
    switch (command) {
      case Command.Start start -> starts.add(start);
      case Command.StartChild child -> children.add(child);
      case Command.AddItems some -> items.add(some);
      case Command.BeginStep begin -> beginnings.add(begin);
      case Command.CompleteStep complete -> completions.add(complete);
      case Command.FailStep fail -> failures.add(fail);
      case Command.Suspend suspend -> suspensions.add(suspend);
      case Command.SendEvent event -> events.add(event);
      case Command.PublishState state -> states.add(state);
      case Command.Finish finish -> finishes.add(finish);
      case Command.Cancel cancel -> cancels.add(cancel);
      case Command.Release release -> releases.add(release);
    }
  }
}
