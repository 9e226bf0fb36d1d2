package dev.kagzi.e2e.recovery;

import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.WorkflowContext;
import dev.kagzi.sdk.WorkflowType;
import java.util.concurrent.CountDownLatch;

/**
 * A workflow into which a check was patched; each of its steps but the first is held at the gate.
 */
record PatchProgram(Ledger ledger, CountDownLatch open, Deploy deploy)
    implements Workflow<String, String> {

  static final WorkflowType<String, String> TYPE =
      WorkflowType.of("patched", String.class, String.class);

  /** An input: the run is held in the check, and not after it. */
  static final String HELD_IN_CHECK = "held in check";

  static final int CHECK = 2;
  static final int SHIP = 3;

  /** Which code a worker has. */
  enum Deploy {
    BEFORE,
    AFTER
  }

  @Override
  public String run(WorkflowContext ctx, String input) {
    ctx.step("charge", () -> ledger.append(ctx.runId(), 1));
    boolean checks = deploy == Deploy.AFTER && ctx.patched("check");
    if (checks) {
      ctx.step(
          "check",
          () -> {
            ledger.append(ctx.runId(), CHECK);
            if (input.equals(HELD_IN_CHECK)) {
              open.await();
            }
          });
    }
    ctx.step(
        "ship",
        () -> {
          ledger.append(ctx.runId(), SHIP);
          open.await();
        });
    return checks ? "checked" : "unchecked";
  }
}
