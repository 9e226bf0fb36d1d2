package dev.kagzi.examples;

import dev.kagzi.sdk.Retry;
import dev.kagzi.sdk.RetryAfterException;
import dev.kagzi.sdk.StepFailedException;
import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.WorkflowContext;
import dev.kagzi.sdk.client.KagziClient;
import dev.kagzi.sdk.worker.Worker;
import java.util.concurrent.atomic.AtomicInteger;

/** A step that fails in three ways: for now, for a known time, and for good. */
public final class Charge {

  static final class CardDeclined extends Exception {
    private static final long serialVersionUID = 1;

    CardDeclined(String message) {
      super(message);
    }
  }

  /** A payment service that is busy at first and does not like large amounts. */
  static final class Gateway {
    private final AtomicInteger calls = new AtomicInteger();

    String charge(int amount, String idempotencyKey) throws CardDeclined {
      if (amount > 1000) {
        throw new CardDeclined("no cover for " + amount);
      }
      return switch (calls.incrementAndGet()) {
        case 1 -> throw new IllegalStateException("connection reset");
        case 2 -> throw new RetryAfterException("busy", "300ms");
        default -> "charged " + amount + (idempotencyKey.isEmpty() ? "" : " once");
      };
    }
  }

  static final class ChargeCard implements Workflow<Integer, String> {
    private final Gateway gateway;

    ChargeCard(Gateway gateway) {
      this.gateway = gateway;
    }

    @Override
    public String run(WorkflowContext ctx, Integer amount) {
      try {
        return ctx.step("charge")
            .retry(Retry.exponential(5, "100ms").notOn(CardDeclined.class))
            .timeout("10s")
            .run(String.class, () -> gateway.charge(amount, ctx.idempotencyKey("charge")));
      } catch (StepFailedException e) {
        if (e.is(CardDeclined.class)) {
          return "declined after %d attempt: %s".formatted(e.attempts(), e.errorMessage());
        }
        throw e;
      }
    }
  }

  public static void main(String[] args) throws Exception {
    String server = System.getenv().getOrDefault("KAGZI_ADDRESS", "localhost:50051");
    String address = args.length > 0 ? args[0] : server;

    try (Worker worker =
            Worker.builder(address, "payments")
                .register("charge-card", new ChargeCard(new Gateway()))
                .build();
        KagziClient client = KagziClient.connect(address)) {
      worker.start();
      for (int amount : new int[] {20, 5000}) {
        var run = client.start("charge-card").queue("payments").input(amount).send();
        System.out.println(run.result().as(String.class));
      }
    }
  }
}
