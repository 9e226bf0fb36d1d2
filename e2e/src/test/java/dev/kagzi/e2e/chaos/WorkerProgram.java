package dev.kagzi.e2e.chaos;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.worker.Worker;
import java.io.OutputStream;
import java.time.Duration;
import org.slf4j.LoggerFactory;

/** A program that is killed, paused and cut off: a worker that executes {@link Interpreter}. */
public final class WorkerProgram {

  /** What schedules start: one step. */
  static final WorkflowType<String, Integer> TICK =
      WorkflowType.of("chaos-tick", String.class, Integer.class);

  private static final int SLOTS = 60;
  private static final Duration DRAIN = Duration.ofSeconds(3);

  private WorkerProgram() {}

  /**
   * Works until the parent is gone: then its end of our standard input is closed.
   *
   * @param arguments the addresses of servers and the database of the ledger
   */
  public static void main(String[] arguments) throws Exception {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      context.getLogger("dev.kagzi").setLevel(Level.INFO);
    }
    var ledger = Ledger.open(arguments[1]);
    var worker = worker(arguments[0], ledger);
    Thread.ofPlatform().daemon().start(() -> workToTheEnd(worker));
    System.in.transferTo(OutputStream.nullOutputStream());
  }

  /** A worker of all that the client and the schedules start. */
  static Worker worker(String address, Ledger ledger) {
    return Worker.builder(address, Interpreter.QUEUE)
        .maxConcurrent(SLOTS)
        .drainTimeout(DRAIN)
        .register(Interpreter.TYPE, new Interpreter(ledger))
        .register(TICK, (ctx, secret) -> ctx.step("tick", Integer.class, secret::length))
        .build();
  }

  /** A worker that has been asked to drain is over; whoever watches the process starts another. */
  private static void workToTheEnd(Worker worker) {
    worker.run();
    System.exit(0);
  }
}
