package dev.kagzi.server.grpc;

import dev.kagzi.engine.operation.Tasks;
import java.time.InstantSource;

/**
 * What a worker reports about the runs it holds: each call a plain function from request to
 * response. The unary RPCs and the Work stream are both thin over it. Thread-safe.
 */
record WorkerCalls(StepCalls steps, WaitCalls waits, RunCalls runs) {

  static WorkerCalls over(Tasks tasks, InstantSource clock) {
    return new WorkerCalls(
        new StepCalls(tasks), new WaitCalls(tasks, clock), new RunCalls(tasks, clock));
  }
}
