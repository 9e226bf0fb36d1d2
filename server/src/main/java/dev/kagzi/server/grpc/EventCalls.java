package dev.kagzi.server.grpc;

import dev.kagzi.core.Payload;
import dev.kagzi.engine.domain.EventMessage;
import dev.kagzi.engine.domain.EventOutcome;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.operation.Workflows;
import dev.kagzi.v1.Event;
import dev.kagzi.v1.SendEventRequest;
import dev.kagzi.v1.SendEventResponse;
import java.util.UUID;

/** Events on their way to runs. Blocks until the commit. Thread-safe. */
final class EventCalls {

  private final Workflows workflows;

  EventCalls(Workflows workflows) {
    this.workflows = workflows;
  }

  SendEventResponse send(SendEventRequest request) {
    var check = new Validation().optionalName("namespace", request.getNamespace());
    check(request.getEvent(), "event", check);
    boolean byExternalId = request.getRunId().isEmpty() && !request.getExternalId().isEmpty();
    if (byExternalId) {
      check.name("external_id", request.getExternalId());
    } else {
      check.id("run_id", request.getRunId());
    }
    check.done();
    String namespace = Requests.namespace(request.getNamespace());
    EventMessage event = fromWire(request.getEvent());
    RunId runId =
        byExternalId
            ? workflows.idOf(namespace, request.getExternalId())
            : RunId.parse(request.getRunId());
    EventOutcome outcome = workflows.send(namespace, runId, event);
    return SendEventResponse.newBuilder()
        .setRunId(runId.toString())
        .setAlreadyDelivered(outcome == EventOutcome.ALREADY_DELIVERED)
        .build();
  }

  static void check(Event event, String field, Validation check) {
    check
        .stepName(field + ".name", event.getName())
        .payload(field + ".payload", event.getPayload())
        .optionalName(field + ".idempotency_key", event.getIdempotencyKey());
  }

  /** One that nobody can repeat gets a key of its own. */
  static EventMessage fromWire(Event event) {
    Payload payload = event.hasPayload() ? PayloadMapper.fromWire(event.getPayload()) : null;
    String key = event.getIdempotencyKey();
    return new EventMessage(
        event.getName(), payload, key.isEmpty() ? UUID.randomUUID().toString() : key);
  }
}
