package dev.kagzi.examples;

import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.WorkflowContext;
import dev.kagzi.sdk.WorkflowFailedException;
import dev.kagzi.sdk.client.KagziClient;
import dev.kagzi.sdk.worker.Worker;

/** Time limits: one run that is in time, and one that is not. */
public final class LongProcess {

  static final class Preparation implements Workflow<String, String> {
    @Override
    public String run(WorkflowContext ctx, String pause) {
      String prepared = ctx.step("prepare", String.class, () -> "prepared");
      ctx.sleep("let-it-rest", pause);
      return ctx.step("finish", String.class, () -> prepared + " and finished");
    }
  }

  public static void main(String[] args) throws Exception {
    String server = System.getenv().getOrDefault("KAGZI_ADDRESS", "localhost:50051");
    String address = args.length > 0 ? args[0] : server;

    try (Worker worker =
            Worker.builder(address, "processes")
                .register("LongProcess", new Preparation())
                .build();
        KagziClient client = KagziClient.connect(address)) {
      worker.start();
      var inTime =
          client.start("LongProcess").timeout("1h").stepTimeout("10s").input("100ms").send();
      System.out.println(inTime.result().as(String.class));

      var tooLong = client.start("LongProcess").timeout("2s").input("1 week").send();
      try {
        tooLong.result();
      } catch (WorkflowFailedException e) {
        System.out.println(e.status() + ": " + e.errorMessage());
      }
    }
  }
}
