package dev.kagzi.e2e.killmatrix;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import dev.kagzi.e2e.suite.Deployment;
import dev.kagzi.faults.FaultyDataSource.Moment;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * A database on which one case follows the other, and the server on it that survives them. Not
 * thread-safe.
 */
final class Lane implements AutoCloseable {

  /** How long a fault may take to be hit. */
  private static final Duration UNTIL_DEATH = Duration.ofSeconds(60);

  private final String jdbcUrl = Deployment.migratedDatabase();
  private final Tables tables = new Tables(jdbcUrl);
  private final Victim.Maker victims;
  private final ScheduledExecutorService beats;
  private volatile Station survivor;

  Lane(Victim.Maker victims, ScheduledExecutorService beats) {
    this.victims = victims;
    this.beats = beats;
    this.survivor = Station.start(jdbcUrl);
  }

  private Peer survivor() {
    return survivor.peer();
  }

  /** Returns how long it took from the death to the end of all runs. */
  Duration run(CallCase call, Moment moment) throws InterruptedException {
    try (Victim victim = victims.start(jdbcUrl, call.statement(), moment, false);
        Stage stage = new Stage(this::survivor, tables, beats)) {
      Act<?> act = call.scene().apply(stage);
      var first = new AtomicReference<Message>();
      victim.arm();
      Thread caller = Thread.ofVirtual().start(() -> callInVain(act, victim.peer(), first));
      awaitDeath(victim);
      long died = System.nanoTime();
      act.repeat(survivor(), moment == Moment.AFTER_THE_COMMIT);
      stage.workOff();
      Duration took = Duration.ofNanos(System.nanoTime() - died);
      caller.interrupt();
      caller.join();
      assertThat(first.get()).as("the answer of a server that had died").isNull();
      Invariants.check(tables);
      return took;
    }
  }

  private static void callInVain(Act<?> act, Peer victim, AtomicReference<Message> answer) {
    try {
      answer.set(act.call().apply(victim));
    } catch (RuntimeException noAnswer) {
      // So it should be.
    }
  }

  private static void awaitDeath(Victim victim) throws InterruptedException {
    assertThat(victim.awaitDeath(UNTIL_DEATH)).as("the fault was hit").isTrue();
  }

  /** The same for a loop: the server that comes after the dead one has to finish its work. */
  Duration run(LoopCase loop, Moment moment) throws InterruptedException {
    try (Stage stage = new Stage(this::survivor, tables, beats)) {
      Chapter chapter = loop.scene().apply(stage);
      survivor.close();
      chapter.meanwhile().run();
      long died;
      try (Victim victim = victims.start(jdbcUrl, loop.statement(), moment, true)) {
        trigger(chapter, victim);
        awaitDeath(victim);
        died = System.nanoTime();
      }
      survivor = Station.start(jdbcUrl);
      chapter.verify().run();
      stage.workOff();
      Duration took = Duration.ofNanos(System.nanoTime() - died);
      Invariants.check(tables);
      return took;
    }
  }

  private static void trigger(Chapter chapter, Victim victim) {
    Consumer<Peer> trigger = chapter.trigger();
    if (trigger != null) {
      try {
        trigger.accept(victim.peer());
      } catch (StatusRuntimeException noAnswer) {
        // It has died before it could answer, which is waited for next.
      }
    }
  }

  @Override
  public void close() {
    survivor.close();
    tables.close();
  }
}
