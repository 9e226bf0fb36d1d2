package dev.kagzi.examples;

import dev.kagzi.sdk.NonRetryableException;
import dev.kagzi.sdk.Retry;
import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.WorkflowContext;
import dev.kagzi.sdk.WorkflowFailedEvent;
import dev.kagzi.sdk.WorkflowFailedException;
import dev.kagzi.sdk.client.KagziClient;
import dev.kagzi.sdk.worker.Worker;
import java.util.concurrent.CountDownLatch;

/** A saga that undoes its work, and a workflow that is started because a run has failed. */
public final class Booking {

  record Trip(String from, String to, boolean hotelIsFull) {}

  static final class BookTrip implements Workflow<Trip, String> {
    @Override
    public String run(WorkflowContext ctx, Trip trip) throws Exception {
      return ctx.saga(saga -> {
        saga.onFailure("flight", Retry.forever("1s"), () -> System.out.println("flight cancelled"));
        ctx.step("flight", () -> System.out.println("flight booked to " + trip.to()));

        saga.onFailure("hotel", () -> System.out.println("hotel cancelled, if it was booked"));
        ctx.step("hotel", () -> bookHotel(trip));

        ctx.sleep("until-the-trip", "1s");
        return "back from " + trip.to();
      });
    }

    private static void bookHotel(Trip trip) {
      if (trip.hotelIsFull()) {
        throw new NonRetryableException("no room in " + trip.to());
      }
      System.out.println("hotel booked in " + trip.to());
    }
  }

  static final class Apologize implements Workflow<WorkflowFailedEvent, String> {
    private final CountDownLatch done;

    Apologize(CountDownLatch done) {
      this.done = done;
    }

    @Override
    public String run(WorkflowContext ctx, WorkflowFailedEvent event) {
      Trip trip = event.originalInput(Trip.class);
      ctx.step(
          "write",
          () ->
              System.out.printf(
                  "sorry about %s: %s failed, %s%n",
                  trip.to(), event.failedStepKey(), event.error().message()));
      done.countDown();
      return "apologized";
    }
  }

  public static void main(String[] args) throws Exception {
    String server = System.getenv().getOrDefault("KAGZI_ADDRESS", "localhost:50051");
    String address = args.length > 0 ? args[0] : server;
    var apologized = new CountDownLatch(1);

    try (Worker worker =
            Worker.builder(address, "trips")
                .register("book-trip", new BookTrip())
                .register("apologize", new Apologize(apologized))
                .build();
        KagziClient client = KagziClient.connect(address)) {
      worker.start();
      var run =
          client
              .start("book-trip")
              .queue("trips")
              .timeout("1h")
              .onFailure("apologize")
              .input(new Trip("Oslo", "Rome", true))
              .send();
      try {
        run.result();
      } catch (WorkflowFailedException e) {
        System.out.println(e.status() + ": " + e.errorMessage());
      }
      apologized.await();
    }
  }
}
