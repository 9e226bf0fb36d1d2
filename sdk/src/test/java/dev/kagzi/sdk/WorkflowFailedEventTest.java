package dev.kagzi.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kagzi.core.Payload;
import dev.kagzi.sdk.payload.JacksonCodec;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class WorkflowFailedEventTest {

  record Order(String id) {}

  private static final String WHOLE =
      """
      {"failedRunId":"r-1","namespace":"default","workflowType":"order","taskQueue":"orders",
       "error":{"kind":"ERROR_KIND_RATE_LIMIT_EXCEEDED","type":"x.Busy",
         "typeHierarchy":["java.lang.RuntimeException"],"message":"busy","stackTrace":"at x",
         "cause":{"kind":"ERROR_KIND_UNKNOWN","type":"y.Cause","message":"why"}},
       "originalInput":{"json":"{\\"id\\":\\"A-1\\"}","metadata":{"content-type":"application/json"}},
       "attempts":3,"startedAt":"2026-01-02T03:04:05.678Z","failedAt":"2026-01-02T03:05:00Z",
       "externalId":"order-1","version":"2","status":"WORKFLOW_STATUS_TIMED_OUT",
       "failedStepKey":"charge","somethingNew":true}
      """;

  @Test
  void readsWhatTheEngineWrites() {
    WorkflowFailedEvent event = read(WHOLE);

    assertThat(event.failedRunId()).isEqualTo("r-1");
    assertThat(event.namespace()).isEqualTo("default");
    assertThat(event.workflowType()).isEqualTo("order");
    assertThat(event.taskQueue()).isEqualTo("orders");
    assertThat(event.error().kind()).isEqualTo(ErrorKind.RATE_LIMIT_EXCEEDED);
    assertThat(Objects.requireNonNull(event.error().cause()).message()).isEqualTo("why");
    assertThat(event.originalInput(Order.class)).isEqualTo(new Order("A-1"));
    assertThat(event.attempts()).isEqualTo(3);
    assertThat(event.startedAt()).isEqualTo(Instant.parse("2026-01-02T03:04:05.678Z"));
    assertThat(event.failedAt()).isEqualTo(Instant.parse("2026-01-02T03:05:00Z"));
    assertThat(event.status()).isEqualTo(RunStatus.TIMED_OUT);
    assertThat(event.failedStepKey()).isEqualTo("charge");
  }

  @Test
  void survivesBeingAStepsResult() {
    WorkflowFailedEvent event = read(WHOLE);
    var codec = new JacksonCodec();

    Payload written = codec.encode(event, WorkflowFailedEvent.class);

    assertThat(codec.decode(written, WorkflowFailedEvent.class)).isEqualTo(event);
  }

  @Test
  void readsAsEmptyWhatIsLeftOut() {
    WorkflowFailedEvent event = read("{\"failedRunId\":\"r-1\",\"attempts\":1}");

    assertThat(event.failedStepKey()).isEmpty();
    assertThat(event.error().kind()).isEqualTo(ErrorKind.UNKNOWN);
    assertThat(event.startedAt()).isNull();
    assertThat(event.originalInput(Order.class)).isNull();
  }

  @Test
  void handsOutTheBytesOfAnotherCodec() {
    WorkflowFailedEvent event =
        read(
            """
            {"attempts":1,"originalInput":{"data":"AQI=","metadata":{"encoding":"own"}}}
            """);

    var input = Objects.requireNonNull(event.originalInput());
    assertThat(input.payload().data()).containsExactly(1, 2);
    assertThat(input.payload().metadata()).containsEntry("encoding", "own");
  }

  @Test
  void saysThatTheInputWasTooLarge() {
    WorkflowFailedEvent event =
        read("{\"attempts\":1,\"originalInput\":{\"metadata\":{\"kagzi-omitted-bytes\":\"9\"}}}");

    assertThatThrownBy(() -> event.originalInput(Order.class)).hasMessageContaining("too large");
  }

  private static WorkflowFailedEvent read(String json) {
    var payload =
        new Payload(
            json.getBytes(StandardCharsets.UTF_8), Map.of("content-type", "application/json"));
    return (WorkflowFailedEvent)
        Objects.requireNonNull(new JacksonCodec().decode(payload, WorkflowFailedEvent.class));
  }
}
