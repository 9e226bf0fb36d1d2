package dev.kagzi.examples;

import dev.kagzi.sdk.EventType;
import dev.kagzi.sdk.WorkflowContext;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.KagziClient;
import dev.kagzi.sdk.worker.Worker;

/** A second version of a workflow goes live while runs of the first one are under way. */
public final class Rollout {

  static final WorkflowType<String, String> SIGN_UP =
      WorkflowType.of("sign-up", String.class, String.class);

  static final EventType<String> CONFIRMED = EventType.of("confirmed", String.class);

  static String first(WorkflowContext ctx, String user) {
    ctx.waitFor(CONFIRMED);
    return ctx.step("welcome", String.class, () -> user + " is welcomed by version 1");
  }

  static String second(WorkflowContext ctx, String user) {
    ctx.waitFor(CONFIRMED);
    ctx.step("check-address", () -> {});
    return ctx.step("welcome", String.class, () -> user + " is welcomed by version 2");
  }

  public static void main(String[] args) throws Exception {
    String server = System.getenv().getOrDefault("KAGZI_ADDRESS", "localhost:50051");
    String address = args.length > 0 ? args[0] : server;

    try (KagziClient client = KagziClient.connect(address)) {
      try (Worker before =
          Worker.builder(address, "users").register(SIGN_UP, "1", Rollout::first).build()) {
        before.start();
        var old = client.start(SIGN_UP).queue("users").input("Ada").send();

        // The deploy: new workers know both versions, and from some moment on new runs get the new.
        try (Worker after =
            Worker.builder(address, "users")
                .register(SIGN_UP, "1", Rollout::first)
                .register(SIGN_UP, "2", Rollout::second)
                .build()) {
          after.start();
          client.setDefaultVersion(SIGN_UP, "2");
          before.stop();
          var fresh = client.start(SIGN_UP).queue("users").input("Linus").send();
          client.send(fresh.runId(), CONFIRMED, "by mail");
          client.send(old.runId(), CONFIRMED, "by mail");
          System.out.println(fresh.result());
          System.out.println(old.result());
        }
      }
    }
  }
}
