package dev.kagzi.examples;

import dev.kagzi.sdk.EventType;
import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.WorkflowContext;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.KagziClient;
import dev.kagzi.sdk.worker.Worker;
import java.util.Optional;

/** A person decides: the run waits for an event, and shows meanwhile what it waits for. */
public final class Approval {

  record Expense(String what, int amount) {}

  record Decision(boolean approved, String by) {}

  static final WorkflowType<Expense, String> EXPENSE =
      WorkflowType.of("expense", Expense.class, String.class);

  static final EventType<Decision> DECIDED = EventType.of("decided", Decision.class);

  static final class ApproveExpense implements Workflow<Expense, String> {
    @Override
    public String run(WorkflowContext ctx, Expense expense) {
      ctx.setState("waits for a decision about " + expense.what());
      // No worker and no thread is kept for it; the event may also come before this line.
      Optional<Decision> decision = ctx.waitFor(DECIDED, "3 days");
      if (decision.isEmpty()) {
        return expense.what() + ": nobody decided";
      }
      ctx.setState("decided by " + decision.get().by());
      if (!decision.get().approved()) {
        return expense.what() + ": rejected by " + decision.get().by();
      }
      return ctx.step("pay", String.class, () -> expense.what() + ": paid " + expense.amount());
    }
  }

  public static void main(String[] args) throws Exception {
    String server = System.getenv().getOrDefault("KAGZI_ADDRESS", "localhost:50051");
    String address = args.length > 0 ? args[0] : server;

    try (Worker worker =
            Worker.builder(address, "expenses").register(EXPENSE, new ApproveExpense()).build();
        KagziClient client = KagziClient.connect(address)) {
      worker.start();
      var chair = client.start(EXPENSE).queue("expenses").input(new Expense("chair", 250)).send();
      client.send(chair.runId(), DECIDED, new Decision(true, "Ada"));
      System.out.println(chair.result());

      var yacht =
          client.start(EXPENSE).queue("expenses").input(new Expense("yacht", 2_000_000)).send();
      client.send(yacht.runId(), DECIDED, new Decision(false, "Ada"));
      System.out.println(yacht.result());
    }
  }
}
