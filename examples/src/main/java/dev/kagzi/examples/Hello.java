package dev.kagzi.examples;

import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.WorkflowContext;
import dev.kagzi.sdk.client.KagziClient;
import dev.kagzi.sdk.worker.Worker;

/** A workflow, a worker that executes it, and one run. Needs a server: {@code kagzi dev}. */
public final class Hello {

  record Person(String name) {}

  static class Greet implements Workflow<Person, String> {
    @Override
    public String run(WorkflowContext ctx, Person person) {
      String hello = ctx.step("compose-greeting", String.class, () -> "Hello, " + person.name());
      ctx.sleep("pause", "2s"); // durable: no thread waits, and a restart does not matter
      ctx.step("send", () -> System.out.println(hello));
      return hello;
    }
  }

  public static void main(String[] args) throws Exception {
    String server = System.getenv().getOrDefault("KAGZI_ADDRESS", "localhost:50051");
    String address = args.length > 0 ? args[0] : server;

    try (Worker worker = Worker.builder(address, "hello").register("greet", new Greet()).build();
        KagziClient client = KagziClient.connect(address)) {
      worker.start();
      var run = client.start("greet").queue("hello").input(new Person("Ada")).send();
      System.out.println("run " + run.runId() + " returned: " + run.result().as(String.class));
    }
  }
}
