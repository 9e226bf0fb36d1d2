package dev.kagzi.server.grpc;

import dev.kagzi.core.Payload;
import dev.kagzi.engine.domain.EventMessage;
import dev.kagzi.engine.domain.EventOutcome;
import dev.kagzi.engine.domain.PublishedState;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.operation.Messages;
import dev.kagzi.engine.operation.Workflows;
import dev.kagzi.v1.Event;
import dev.kagzi.v1.GetStateRequest;
import dev.kagzi.v1.GetStateResponse;
import dev.kagzi.v1.SendEventRequest;
import dev.kagzi.v1.SendEventResponse;
import dev.kagzi.v1.StateEntry;
import java.util.UUID;

/** What clients tell runs, and what they are shown. Blocks until the commit. Thread-safe. */
final class EventCalls {

  /** More names than a run can have. */
  private static final int MAX_NAMES = 1000;

  private final Messages messages;
  private final Workflows workflows;

  EventCalls(Messages messages, Workflows workflows) {
    this.messages = messages;
    this.workflows = workflows;
  }

  SendEventResponse send(SendEventRequest request) {
    var check = new Validation().optionalName("namespace", request.getNamespace());
    check(request.getEvent(), "event", check);
    boolean byExternalId = checkRun(request.getRunId(), request.getExternalId(), check);
    check.done();
    String namespace = Requests.namespace(request.getNamespace());
    EventMessage event = fromWire(request.getEvent(), UUID.randomUUID().toString());
    Messages.Sent sent =
        byExternalId
            ? messages.send(namespace, request.getExternalId(), event)
            : messages.send(namespace, RunId.parse(request.getRunId()), event);
    return SendEventResponse.newBuilder()
        .setRunId(sent.runId().toString())
        .setAlreadyDelivered(sent.outcome() == EventOutcome.ALREADY_DELIVERED)
        .build();
  }

  /** Checks how a request names its run, and says whether by its external id. */
  private static boolean checkRun(String runId, String externalId, Validation check) {
    check.optionalName("external_id", externalId);
    if (runId.isEmpty() && !externalId.isEmpty()) {
      return true;
    }
    check.id("run_id", runId);
    return false;
  }

  GetStateResponse state(GetStateRequest request) {
    var check =
        new Validation()
            .optionalName("namespace", request.getNamespace())
            .require(
                request.getNamesCount() <= MAX_NAMES,
                "names",
                "has %d entries (expected: at most %d)"
                    .formatted(request.getNamesCount(), MAX_NAMES));
    request.getNamesList().forEach(name -> check.stepName("names", name));
    boolean byExternalId = checkRun(request.getRunId(), request.getExternalId(), check);
    check.done();
    String namespace = Requests.namespace(request.getNamespace());
    RunId runId =
        byExternalId
            ? workflows.idOf(namespace, request.getExternalId())
            : RunId.parse(request.getRunId());
    Messages.Shown shown = messages.states(namespace, runId, request.getNamesList());
    return GetStateResponse.newBuilder()
        .setRunId(runId.toString())
        .setStatus(RunMapper.toWire(shown.run().status()))
        .addAllEntries(shown.states().stream().map(EventCalls::toWire).toList())
        .build();
  }

  private static StateEntry toWire(PublishedState state) {
    return StateEntry.newBuilder()
        .setName(state.name())
        .setValue(PayloadMapper.toWire(state.value()))
        .setUpdatedAt(TimeMapper.toWire(state.updatedAt()))
        .build();
  }

  static void check(Event event, String field, Validation check) {
    check
        .stepName(field + ".name", event.getName())
        .payload(field + ".payload", event.getPayload())
        .optionalName(field + ".idempotency_key", event.getIdempotencyKey());
  }

  /** One that nobody means to repeat gets a key of its own. */
  static EventMessage fromWire(Event event, String ownKey) {
    Payload payload = event.hasPayload() ? PayloadMapper.fromWire(event.getPayload()) : null;
    String key = event.getIdempotencyKey();
    return new EventMessage(event.getName(), payload, key.isEmpty() ? ownKey : key);
  }
}
