package dev.kagzi.e2e.recovery;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.embedded.Kagzi;
import dev.kagzi.sdk.WorkflowContext;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.worker.Worker;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** A program that is killed: a worker, alone or with a server of its own inside. */
public final class WorkerProgram {
  static final String QUEUE = "recovery";

  /** Holds its only step until somebody opens the gate. */
  static final WorkflowType<Integer, Integer> GATE =
      WorkflowType.of("gate", Integer.class, Integer.class);

  /** Three steps, and a mark behind the last one. */
  static final WorkflowType<Integer, Integer> STEPS =
      WorkflowType.of("steps", Integer.class, Integer.class);

  static final int STEP_COUNT = 3;

  /** As workers have it by themselves. */
  static final Duration DRAIN_TIMEOUT = Duration.ofSeconds(30);

  private static final String EMBEDDED = "jdbc:";
  private static final int SLOTS = 150;
  private static final int POOL_SIZE = 10;
  private static final long LOOK_MILLIS = 50;

  private final Duration drainTimeout;
  private final Ledger ledger;
  private final Path gate;
  private final CountDownLatch open = new CountDownLatch(1);

  private final PatchProgram.Deploy deploy;

  private WorkerProgram(Path folder, PatchProgram.Deploy deploy, Duration drainTimeout) {
    this.deploy = deploy;
    this.drainTimeout = drainTimeout;
    this.ledger = Ledger.in(folder);
    this.gate = gate(folder);
  }

  /** The file whose existence ends the steps of {@link #GATE}. */
  static Path gate(Path folder) {
    return folder.resolve("gate");
  }

  /**
   * Works until the parent is gone: then its end of our standard input is closed.
   *
   * @param arguments a folder, the address of servers or the database of an embedded one, which
   *     code of {@link PatchProgram} is deployed, and the time to finish what it holds after
   *     SIGTERM
   */
  public static void main(String[] arguments) throws Exception {
    var program =
        new WorkerProgram(
            Path.of(arguments[0]),
            PatchProgram.Deploy.valueOf(arguments[2]),
            Duration.parse(arguments[3]));
    Thread.ofPlatform().daemon().start(program::watchGate);
    if (arguments[1].startsWith(EMBEDDED)) {
      program.workEmbedded(arguments[1]);
    } else {
      program.work(arguments[1]);
    }
  }

  private void workEmbedded(String database) throws Exception {
    try (var pool = pool(database);
        var kagzi = Kagzi.embedded(pool).start()) {
      work(kagzi.address());
    }
  }

  static HikariDataSource pool(String database) {
    var pool = new HikariDataSource();
    pool.setJdbcUrl(database);
    pool.setMaximumPoolSize(POOL_SIZE);
    return pool;
  }

  private void work(String address) throws Exception {
    var worker =
        Worker.builder(address, QUEUE)
            .maxConcurrent(SLOTS)
            .drainTimeout(drainTimeout)
            .register(GATE, this::waitAtTheGate)
            .register(STEPS, this::takeSteps)
            .register(BranchProgram.TYPE, new BranchProgram(ledger))
            .register(MapProgram.MAP, MapProgram::map)
            .register(MapProgram.PARENT, MapProgram::parent)
            .register(MapProgram.ITEM, new MapProgram(ledger)::item)
            .register(PatchProgram.TYPE, new PatchProgram(ledger, open, deploy))
            .build();
    Thread.ofPlatform().daemon().start(worker::run);
    while (worker.workerId().isEmpty()) {
      Thread.sleep(LOOK_MILLIS);
    }
    System.out.println("worker " + worker.workerId().orElseThrow());
    System.in.transferTo(OutputStream.nullOutputStream());
  }

  private Integer waitAtTheGate(WorkflowContext ctx, Integer number) {
    return ctx.step(
        "wait",
        Integer.class,
        () -> {
          ledger.append(ctx.runId(), 1);
          open.await();
          return number;
        });
  }

  private Integer takeSteps(WorkflowContext ctx, Integer number) throws IOException {
    int sum = number;
    for (int step = 1; step <= STEP_COUNT; step++) {
      int current = step;
      sum +=
          ctx.step(
              "step-" + step,
              Integer.class,
              () -> {
                ledger.append(ctx.runId(), current);
                return current;
              });
    }
    ledger.append(ctx.runId(), STEP_COUNT + 1);
    return sum;
  }

  private void watchGate() {
    try {
      while (!Files.exists(gate)) {
        Thread.sleep(LOOK_MILLIS);
      }
      open.countDown();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
