package dev.kagzi.server.grpc;

import dev.kagzi.engine.Engine;

/**
 * What a worker reports about the runs it holds: each call a plain function from request to
 * response. The unary RPCs and the Work stream are both thin over it. Thread-safe.
 */
record WorkerCalls(StepCalls steps, WaitCalls waits, ChildCalls children, RunCalls runs) {

  static WorkerCalls over(Engine engine) {
    return new WorkerCalls(
        new StepCalls(engine.tasks(), engine.config().steps().retry()),
        new WaitCalls(engine.tasks(), engine.clock()),
        new ChildCalls(engine.children()),
        new RunCalls(engine.tasks(), engine.clock()));
  }
}
