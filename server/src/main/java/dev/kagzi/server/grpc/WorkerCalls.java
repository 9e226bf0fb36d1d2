package dev.kagzi.server.grpc;

import dev.kagzi.engine.operation.Children;
import dev.kagzi.engine.operation.Tasks;
import java.time.InstantSource;

/**
 * What a worker reports about the runs it holds: each call a plain function from request to
 * response. The unary RPCs and the Work stream are both thin over it. Thread-safe.
 */
record WorkerCalls(StepCalls steps, WaitCalls waits, ChildCalls children, RunCalls runs) {

  static WorkerCalls over(Tasks tasks, Children children, InstantSource clock) {
    return new WorkerCalls(
        new StepCalls(tasks),
        new WaitCalls(tasks, clock),
        new ChildCalls(children),
        new RunCalls(tasks, clock));
  }
}
