package dev.kagzi.examples;

import dev.kagzi.sdk.Retry;
import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.WorkflowContext;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.KagziClient;
import dev.kagzi.sdk.worker.Worker;
import java.util.concurrent.atomic.AtomicInteger;

/** Composition: an order that is made of workflows which others use as well. */
public final class ProcessOrder {

  record Order(String number, String customer, int amount) {}

  record Email(String to, String text) {}

  static final WorkflowType<Order, String> ORDER =
      WorkflowType.of("ProcessOrder", Order.class, String.class);

  static final WorkflowType<Integer, String> PAYMENT =
      WorkflowType.of("TakePayment", Integer.class, String.class);

  static final WorkflowType<Email, String> EMAIL =
      WorkflowType.of("SendEmail", Email.class, String.class);

  static final class HandleOrder implements Workflow<Order, String> {
    @Override
    public String run(WorkflowContext ctx, Order order) {
      String payment = ctx.child(PAYMENT).input(order.amount()).run();
      String parcel = ctx.step("ship", String.class, () -> "parcel for " + order.number());
      return ctx.child(EMAIL)
          .input(new Email(order.customer(), payment + ", " + parcel + " is on its way"))
          .run();
    }
  }

  static final class TakePayment implements Workflow<Integer, String> {
    @Override
    public String run(WorkflowContext ctx, Integer amount) {
      return ctx.step("charge", String.class, () -> "paid " + amount);
    }
  }

  /** The mail server refuses the first connection. */
  static final class SendEmail implements Workflow<Email, String> {
    private final AtomicInteger connections = new AtomicInteger();

    @Override
    public String run(WorkflowContext ctx, Email email) {
      return ctx.step("send")
          .retry(Retry.exponential(5, "100ms"))
          .run(String.class, () -> send(email));
    }

    private String send(Email email) {
      if (connections.getAndIncrement() == 0) {
        throw new IllegalStateException("connection refused");
      }
      return "to " + email.to() + ": " + email.text();
    }
  }

  public static void main(String[] args) throws Exception {
    String server = System.getenv().getOrDefault("KAGZI_ADDRESS", "localhost:50051");
    String address = args.length > 0 ? args[0] : server;

    try (Worker worker =
            Worker.builder(address, "orders")
                .register(ORDER, new HandleOrder())
                .register(PAYMENT, new TakePayment())
                .register(EMAIL, new SendEmail())
                .build();
        KagziClient client = KagziClient.connect(address)) {
      worker.start();
      var run = client.start(ORDER).id("order-A-1002").input(new Order("A-1002", "Ada", 20)).send();
      System.out.println(run.result());
    }
  }
}
