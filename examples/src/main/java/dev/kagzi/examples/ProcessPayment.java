package dev.kagzi.examples;

import dev.kagzi.sdk.NonRetryableException;
import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.WorkflowContext;
import dev.kagzi.sdk.WorkflowFailedEvent;
import dev.kagzi.sdk.WorkflowFailedException;
import dev.kagzi.sdk.client.KagziClient;
import dev.kagzi.sdk.worker.Worker;
import java.util.concurrent.CountDownLatch;

/** A payment that fails: what is done about this one, and what about whatever fails. */
public final class ProcessPayment {

  record Payment(String order, int amount) {}

  static final class Pay implements Workflow<Payment, String> {
    @Override
    public String run(WorkflowContext ctx, Payment payment) {
      return ctx.step(
          "charge",
          String.class,
          () -> {
            throw new NonRetryableException("no cover for " + payment.amount());
          });
    }
  }

  /** Asked for by whoever starts a payment; knows what payments are. */
  static final class HandlePaymentFailure implements Workflow<WorkflowFailedEvent, String> {
    private final CountDownLatch handled;

    HandlePaymentFailure(CountDownLatch handled) {
      this.handled = handled;
    }

    @Override
    public String run(WorkflowContext ctx, WorkflowFailedEvent event) {
      Payment payment = event.originalInput(Payment.class);
      ctx.step(
          "send_alert",
          () ->
              System.out.printf(
                  "payment for %s failed after %d attempt: %s%n",
                  payment.order(), event.attempts(), event.error().message()));
      ctx.step("save_to_dlq", () -> System.out.println("kept to be looked at: " + payment));
      handled.countDown();
      return payment.order();
    }
  }

  /** Started for every run of the namespace that fails; knows nothing but that. */
  static final class HandleAnyFailure implements Workflow<WorkflowFailedEvent, String> {
    private final CountDownLatch handled;

    HandleAnyFailure(CountDownLatch handled) {
      this.handled = handled;
    }

    @Override
    public String run(WorkflowContext ctx, WorkflowFailedEvent event) {
      ctx.step(
          "send_to_datadog",
          () -> System.out.println("workflow.failed +1 type:" + event.workflowType()));
      ctx.step("page_oncall", () -> System.out.println("paged: " + event.failedStepKey()));
      handled.countDown();
      return event.failedRunId();
    }
  }

  public static void main(String[] args) throws Exception {
    String server = System.getenv().getOrDefault("KAGZI_ADDRESS", "localhost:50051");
    String address = args.length > 0 ? args[0] : server;
    var handled = new CountDownLatch(2);

    try (Worker worker =
            Worker.builder(address, "payments")
                .register("ProcessPayment", new Pay())
                .register("HandlePaymentFailure", new HandlePaymentFailure(handled))
                .onAnyFailure(new HandleAnyFailure(handled))
                .build();
        KagziClient client = KagziClient.connect(address)) {
      worker.start();
      var run =
          client
              .start("ProcessPayment")
              .queue("payments")
              .onFailure("HandlePaymentFailure")
              .input(new Payment("A-1001", 5000))
              .send();
      try {
        run.result();
      } catch (WorkflowFailedException e) {
        System.out.println(e.status() + ": " + e.errorMessage());
      }
      handled.await();
    }
  }
}
