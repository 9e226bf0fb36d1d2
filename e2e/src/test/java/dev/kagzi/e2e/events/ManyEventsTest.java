package dev.kagzi.e2e.events;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kagzi.e2e.suite.Deployment;
import dev.kagzi.e2e.suite.DurabilitySuite;
import dev.kagzi.sdk.EventType;
import dev.kagzi.sdk.TypeRef;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.WorkflowHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(Deployment.class)
class ManyEventsTest extends DurabilitySuite {

  private static final EventType<Integer> NUMBER = EventType.of("number", Integer.class);
  private static final int SENDERS = 4;
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private final Deployment deployment;
  private final WorkflowType<Integer, List<Integer>> type =
      WorkflowType.of(
          freshName("numbers"), TypeRef.of(Integer.class), TypeRef.listOf(Integer.class));

  ManyEventsTest(Deployment deployment) {
    super(deployment);
    this.deployment = deployment;
  }

  @Test
  void fourHundredEventsOfFourSendersArriveOnceAndInOrder() throws Exception {
    sendAndReceive(400);
  }

  @Test
  @Tag("soak")
  void tenThousandEventsOfFourSendersArriveOnceAndInOrder() throws Exception {
    sendAndReceive(10_000);
  }

  private void sendAndReceive(int count) throws Exception {
    serve(
        type,
        (ctx, expected) -> {
          List<Integer> received = new ArrayList<>();
          while (received.size() < expected) {
            received.add(ctx.waitFor(NUMBER));
          }
          return received;
        });
    long begun = System.nanoTime();
    WorkflowHandle<List<Integer>> handle = start(type, count);
    int each = count / SENDERS;
    try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> senders = new ArrayList<>();
      for (int sender = 0; sender < SENDERS; sender++) {
        int first = sender * each;
        senders.add(
            executor.submit(() -> {
              for (int i = 0; i < each; i++) {
                handle.send(NUMBER, first + i);
              }
            }));
      }
      for (Future<?> sender : senders) {
        sender.get();
      }
    }
    Duration sent = Duration.ofNanos(System.nanoTime() - begun);
    List<Integer> received = handle.result(PATIENCE);

    System.out.printf(
        "%s: %d events were sent in %d ms, and received in %d ms%n",
        deployment, count, sent.toMillis(), Duration.ofNanos(System.nanoTime() - begun).toMillis());
    assertThat(received).hasSize(count).doesNotHaveDuplicates();
    for (int sender = 0; sender < SENDERS; sender++) {
      int first = sender * each;
      assertThat(received.stream().filter(number -> number / each * each == first).toList())
          .hasSize(each)
          .isSorted();
    }
  }
}
