package dev.kagzi.engine.interleaving;

import static dev.kagzi.engine.TestEngine.NAMESPACE;
import static dev.kagzi.engine.TestEngine.QUEUE;
import static dev.kagzi.engine.TestEngine.TYPE;
import static dev.kagzi.engine.TestEngine.request;
import static dev.kagzi.engine.interleaving.Director.COMPLETED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.core.TimeOrderedIds;
import dev.kagzi.engine.domain.Fence;
import dev.kagzi.engine.domain.FinishOutcome;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.StartOutcome;
import dev.kagzi.engine.domain.Task;
import dev.kagzi.engine.domain.WorkerId;
import dev.kagzi.engine.interleaving.Race.Play;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/** Races of a start that is handed to a worker who waits, with the leaving of this worker. */
final class HandoffRaces {

  private HandoffRaces() {}

  static Stream<Race> all() {
    return Stream.of(
        new Race("start with a worker who waits / deregister", HandoffRaces::startAndLeave),
        new Race("start with a worker who waits / drain", HandoffRaces::startAndDrain));
  }

  private static RunId freshId() {
    return new RunId(new TimeOrderedIds(Director::now).next());
  }

  private static Callable<?> startFor(WorkerId waiting, RunId runId, Actor actor) {
    return () ->
        actor
            .bench()
            .handoff
            .whileWaits(
                waiting, () -> actor.bench().workflows.start(request().requestId(runId).build()));
  }

  private static String text(Director director, RunId runId, String column) {
    return director.text(
        "SELECT %s FROM kagzi.workflow_runs WHERE run_id = '%s'".formatted(column, runId));
  }

  private static int epoch(Director director, RunId runId) {
    return Integer.parseInt(text(director, runId, "lease_epoch"));
  }

  /** Neither locks what the other writes: what both miss is found by the look for orphans. */
  private static Play startAndLeave(Director director, Actor first, Actor second) {
    WorkerId waiting = director.register();
    RunId runId = freshId();
    return new Play(
        startFor(waiting, runId, first),
        () -> second.bench().workers.deregister(NAMESPACE, waiting),
        (started, left) -> {
          assertThat(started.as(StartOutcome.Started.class).runId()).isEqualTo(runId);
          int epoch = epoch(director, runId);
          boolean missed = director.status(runId).equals("RUNNING");
          assertThat(left.as(Integer.class)).isEqualTo(epoch == 1 && !missed ? 1 : 0);
          assertThat(director.bench.recovery.freeOrphans()).isEqualTo(missed ? 1 : 0);
          assertThat(director.status(runId)).isEqualTo("PENDING");
          assertThatTheNextHasIt(director, runId, epoch);
        });
  }

  /** The epoch has been raised, so that whoever has left is told from whoever comes. */
  private static void assertThatTheNextHasIt(Director director, RunId runId, int epoch) {
    List<Task> tasks = director.bench.claims.claim(QUEUE, TYPE, director.otherWorker);
    assertThat(tasks).hasSize(1);
    assertThat(tasks.get(0).claim().runId()).isEqualTo(runId);
    assertThat(tasks.get(0).claim().epoch()).isEqualTo(epoch + 1);
  }

  /** A worker who drains finishes what was handed to him, and is handed nothing more. */
  private static Play startAndDrain(Director director, Actor first, Actor second) {
    WorkerId waiting = director.register();
    RunId runId = freshId();
    return new Play(
        startFor(waiting, runId, first),
        () -> {
          second.bench().workers.drain(NAMESPACE, waiting);
          return "drained";
        },
        (started, drained) -> {
          assertThat(started.as(StartOutcome.Started.class).runId()).isEqualTo(runId);
          assertThat(drained.is(String.class)).isTrue();
          boolean handed = director.status(runId).equals("RUNNING");
          assertThat(epoch(director, runId)).isEqualTo(handed ? 1 : 0);
          if (handed) {
            assertThat(text(director, runId, "locked_by")).isEqualTo(waiting.toString());
            assertThat(director.bench.recovery.freeOrphans()).isZero();
            Fence fence = new Fence(NAMESPACE, runId, 1);
            assertThat(director.bench.tasks.finish(fence, COMPLETED))
                .isInstanceOf(FinishOutcome.Ended.class);
          } else {
            assertThatTheNextHasIt(director, runId, 0);
          }
        });
  }
}
