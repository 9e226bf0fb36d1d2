package dev.kagzi.cli.demo;

import dev.kagzi.cli.demo.Event.RunState;
import dev.kagzi.cli.demo.Event.Status;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Turns events into lines of the timeline, and says what has to be done next. Knows no process and
 * no server, so that it can be told any story. Not thread-safe.
 */
final class Story {
  private static final DateTimeFormatter CLOCK_TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);

  private final Timeline timeline;
  private final List<String> replayed = new ArrayList<>();
  private boolean killed;
  private boolean detected;
  private long killedAt;
  private long victim;

  /** What the teller of the story has to do. */
  enum Cue {
    NOTHING,
    KILL,
    /** The run has completed. */
    END
  }

  Story(Timeline timeline) {
    this.timeline = timeline;
  }

  /**
   * Takes the next event.
   *
   * @throws DemoFailedException if it does not belong into this story
   */
  Cue hear(Event event) {
    return switch (event) {
      case Event.Told told -> tell(told);
      case Event.RunChanged changed -> change(changed);
      case Event.WorkerEnded ended -> requireExpected(ended);
      case Event.ServerSilent silent ->
          throw new DemoFailedException("the server does not answer: " + silent.reason());
    };
  }

  private Cue tell(Event.Told told) {
    var signal = told.signal();
    if (signal.kind() == Signal.Kind.REPLAYED) {
      replayed.add(signal.step());
      return Cue.NOTHING;
    }
    tellReplayed(told.nanos());
    return switch (signal.kind()) {
      case CLAIMED -> {
        detect(told.nanos());
        yield say(told.nanos(), "claimed by pid " + told.pid());
      }
      case EXECUTED ->
          say(told.nanos(), "executed %s (pid %d)".formatted(signal.step(), told.pid()));
      case WAITING -> Cue.KILL;
      case REPLAYED -> Cue.NOTHING;
    };
  }

  /** The worker that the cue was about is dead. */
  void kill(long nanos, long pid) {
    killed = true;
    killedAt = nanos;
    victim = pid;
    timeline.say(nanos, "KILLED worker pid %d (SIGKILL)".formatted(pid));
  }

  private Cue change(Event.RunChanged changed) {
    RunState state = changed.state();
    if (state.crashes() > 0 || state.status() != Status.RUNNING) {
      detect(changed.nanos());
    }
    return switch (state.status()) {
      case READY, RUNNING -> Cue.NOTHING;
      case SLEEPING -> {
        tellReplayed(changed.nanos());
        yield say(changed.nanos(), sleeping(Optional.ofNullable(state.wakesAt())));
      }
      case COMPLETED -> Cue.END;
      case FAILED -> throw new DemoFailedException("the run did not complete");
    };
  }

  private static String sleeping(Optional<Instant> wakesAt) {
    var until = wakesAt.map(at -> " until " + CLOCK_TIME.format(at.atZone(ZoneId.systemDefault())));
    return "sleeping%s (no worker holds the run)".formatted(until.orElse(""));
  }

  /** The server has noticed that the worker is dead; told once. */
  private void detect(long nanos) {
    if (killed && !detected) {
      detected = true;
      timeline.say(
          nanos,
          String.format(Locale.ROOT, "detected after %.1f s", Timeline.seconds(nanos - killedAt)));
    }
  }

  private void tellReplayed(long nanos) {
    if (!replayed.isEmpty()) {
      timeline.say(
          nanos,
          "replayed x %d (not executed again): %s"
              .formatted(replayed.size(), String.join(", ", replayed)));
      replayed.clear();
    }
  }

  private Cue requireExpected(Event.WorkerEnded ended) {
    if (killed && ended.pid() == victim) {
      return Cue.NOTHING;
    }
    throw new DemoFailedException("worker pid %d ended by itself".formatted(ended.pid()));
  }

  private Cue say(long nanos, String what) {
    timeline.say(nanos, what);
    return Cue.NOTHING;
  }
}
