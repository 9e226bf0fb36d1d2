package dev.kagzi.peers;

import dev.dbos.transact.DBOS;
import dev.dbos.transact.StartWorkflowOptions;
import dev.dbos.transact.config.DBOSConfig;
import dev.dbos.transact.workflow.WorkflowHandle;
import dev.kagzi.bench.driver.Ability;
import dev.kagzi.bench.driver.Contender;
import java.util.EnumSet;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * DBOS Transact with its defaults. Workflows are started in process, which its documentation has
 * first and which is much faster than its queues; who waits for a result calls the workflow
 * directly. It has no steps beside each other.
 */
final class DbosContender implements Contender {
  private final DBOS dbos;
  private final DbosCode code;
  private final DbosWorkflows workflows;
  private final Queue<WorkflowHandle<String, RuntimeException>> started =
      new ConcurrentLinkedQueue<>();

  DbosContender(String database) {
    this.dbos =
        new DBOS(
            DBOSConfig.defaults("bench")
                .withDatabaseUrl(database)
                .withDbUser("kagzi")
                .withDbPassword(""));
    this.code = new DbosCode(dbos);
    this.workflows = dbos.registerProxy(DbosWorkflows.class, code);
    code.setSelf(workflows);
    dbos.launch();
  }

  @Override
  public Set<Ability> abilities() {
    return EnumSet.of(Ability.AWAIT, Ability.REPLAY, Ability.CHILDREN);
  }

  @Override
  public void start(int steps) {
    started.add(dbos.startWorkflow(() -> workflows.steps(steps)));
  }

  @Override
  public void awaitAll() {
    for (var next = started.poll(); next != null; next = started.poll()) {
      next.getResult();
    }
  }

  @Override
  public void startAndAwait(int steps) {
    workflows.steps(steps);
  }

  @Override
  public double[] replay(int steps, int times) throws InterruptedException {
    var millis = new double[times];
    for (int i = 0; i < times; i++) {
      millis[i] = replayOnce(steps);
    }
    return millis;
  }

  private double replayOnce(int steps) throws InterruptedException {
    var id = UUID.randomUUID().toString();
    var interruption = code.interrupt(id);
    WorkflowHandle<Double, RuntimeException> first =
        dbos.startWorkflow(() -> workflows.replay(steps), new StartWorkflowOptions(id));
    interruption.reached().await();
    dbos.cancelWorkflow(id);
    interruption.cancelled().countDown();
    try {
      throw new IllegalStateException("not cancelled, but ended with " + first.getResult());
    } catch (IllegalStateException e) {
      throw e;
    } catch (RuntimeException cancelled) {
      WorkflowHandle<Double, RuntimeException> resumed = dbos.resumeWorkflow(id);
      return resumed.getResult();
    }
  }

  @Override
  public void fanOutChildren(int children) {
    workflows.parent(children);
  }

  @Override
  public void close() {
    dbos.shutdown();
  }
}
