package dev.kagzi.examples;

import dev.kagzi.sdk.Workflow;
import dev.kagzi.sdk.WorkflowContext;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.KagziClient;
import dev.kagzi.sdk.client.Schedule;
import dev.kagzi.sdk.worker.Worker;
import java.time.Instant;
import java.time.ZoneId;

/** A report every working day at half past nine in Berlin, also for the days that were missed. */
public final class Report {

  static final WorkflowType<String, String> REPORT =
      WorkflowType.of("report", String.class, String.class);

  static final class WriteReport implements Workflow<String, String> {
    @Override
    public String run(WorkflowContext ctx, String subject) {
      return ctx.step("write", String.class, () -> "a report about " + subject);
    }
  }

  public static void main(String[] args) throws Exception {
    String server = System.getenv().getOrDefault("KAGZI_ADDRESS", "localhost:50051");
    String address = args.length > 0 ? args[0] : server;

    try (Worker worker =
            Worker.builder(address, "reports").register(REPORT, new WriteReport()).build();
        KagziClient client = KagziClient.connect(address)) {
      worker.start();
      Schedule schedule =
          client
              .schedules()
              .create(REPORT, "30 9 * * MON-FRI")
              .name("morning-report")
              .zone(ZoneId.of("Europe/Berlin"))
              .queue("reports")
              .input("sales")
              .send();
      System.out.println(schedule.name() + ": " + schedule.inWords() + " in " + schedule.zone());

      // The clocks in Berlin were put forward on the Sunday in between.
      var missed =
          client
              .schedules()
              .backfill(
                  schedule.name(),
                  Instant.parse("2026-03-26T12:00:00Z"),
                  Instant.parse("2026-03-31T12:00:00Z"));
      for (String run : missed) {
        System.out.println(client.handle(run, String.class).result());
      }
      client.schedules().delete(schedule.name());
    }
  }
}
