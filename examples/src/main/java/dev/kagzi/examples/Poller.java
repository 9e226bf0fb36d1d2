package dev.kagzi.examples;

import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.WorkflowContext;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.KagziClient;
import dev.kagzi.sdk.worker.Worker;

/** A workflow without end that stays small: it goes on as a new run before its history grows. */
public final class Poller {

  record Progress(int seen, int until) {}

  static final WorkflowType<Progress, Integer> POLL =
      WorkflowType.of("poll-inbox", Progress.class, Integer.class);

  static final class PollInbox implements Workflow<Progress, Integer> {
    private static final int ROUNDS_PER_RUN = 5;

    @Override
    public Integer run(WorkflowContext ctx, Progress progress) {
      int seen = progress.seen();
      for (int round = 0; round < ROUNDS_PER_RUN; round++) {
        seen += ctx.step("poll", Integer.class, () -> 1);
        if (seen >= progress.until()) {
          return seen;
        }
        ctx.sleep("pause", "50ms");
      }
      throw ctx.continueAs(new Progress(seen, progress.until()));
    }
  }

  public static void main(String[] args) throws Exception {
    String server = System.getenv().getOrDefault("KAGZI_ADDRESS", "localhost:50051");
    String address = args.length > 0 ? args[0] : server;

    try (Worker worker = Worker.builder(address, "inbox").register(POLL, new PollInbox()).build();
        KagziClient client = KagziClient.connect(address)) {
      worker.start();
      var run =
          client.start(POLL).id("inbox-poller").queue("inbox").input(new Progress(0, 12)).send();
      System.out.println("the inbox had " + run.result() + " messages");
    }
  }
}
