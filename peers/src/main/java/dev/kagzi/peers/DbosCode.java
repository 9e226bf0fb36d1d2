package dev.kagzi.peers;

import dev.dbos.transact.DBOS;
import dev.dbos.transact.workflow.Workflow;
import dev.dbos.transact.workflow.WorkflowHandle;
import dev.kagzi.bench.driver.Contender;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** What the workflows do. Thread-safe. */
public final class DbosCode implements DbosWorkflows {
  private static final double NANOS_PER_MILLI = 1e6;

  private final DBOS dbos;
  private final Map<String, Interruption> interruptions = new ConcurrentHashMap<>();
  private volatile @Nullable DbosWorkflows self;

  DbosCode(DBOS dbos) {
    this.dbos = dbos;
  }

  /** The point at which a workflow stands still until it has been cancelled. */
  record Interruption(CountDownLatch reached, CountDownLatch cancelled) {}

  /** Calls of its own workflows must go through DBOS too. */
  void setSelf(DbosWorkflows self) {
    this.self = self;
  }

  /** Where a workflow that is going to be interrupted will stand still. */
  Interruption interrupt(String workflowId) {
    var interruption = new Interruption(new CountDownLatch(1), new CountDownLatch(1));
    interruptions.put(workflowId, interruption);
    return interruption;
  }

  @Override
  @Workflow
  public String steps(int count) {
    var last = "";
    for (int i = 0; i < count; i++) {
      last = dbos.runStep(() -> Contender.RESULT, "step");
    }
    return last;
  }

  @Override
  @Workflow
  public int parent(int children) {
    var workflows = java.util.Objects.requireNonNull(self);
    var started = new ArrayList<WorkflowHandle<String, RuntimeException>>();
    for (int i = 0; i < children; i++) {
      int number = i;
      started.add(dbos.startWorkflow(() -> workflows.child(number)));
    }
    started.forEach(WorkflowHandle::getResult);
    return started.size();
  }

  @Override
  @Workflow
  public String child(int number) {
    return Contender.RESULT;
  }

  @Override
  @Workflow
  public double replay(int steps) {
    long began = System.nanoTime();
    for (int i = 0; i < steps; i++) {
      dbos.runStep(() -> Contender.RESULT, "settled");
    }
    standStill();
    return dbos.runStep(() -> (System.nanoTime() - began) / NANOS_PER_MILLI, "new");
  }

  private void standStill() {
    var interruption = interruptions.remove(DBOS.workflowId());
    if (interruption != null) {
      interruption.reached().countDown();
      try {
        interruption.cancelled().await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
