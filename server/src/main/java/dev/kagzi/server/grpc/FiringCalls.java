package dev.kagzi.server.grpc;

import dev.kagzi.engine.domain.Firing;
import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.operation.ManualFirings;
import dev.kagzi.engine.operation.ManualFirings.Backfill;
import dev.kagzi.engine.operation.ManualFirings.Backfilled;
import dev.kagzi.v1.BackfillScheduleRequest;
import dev.kagzi.v1.BackfillScheduleResponse;
import dev.kagzi.v1.TriggerScheduleRequest;
import dev.kagzi.v1.TriggerScheduleResponse;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Fires schedules because somebody asks for it. Thread-safe. */
final class FiringCalls {

  private static final Logger log = LoggerFactory.getLogger(FiringCalls.class);

  private final ManualFirings firings;

  FiringCalls(ManualFirings firings) {
    this.firings = firings;
  }

  TriggerScheduleResponse trigger(TriggerScheduleRequest request) {
    ScheduleCalls.check(request.getNamespace(), request.getScheduleId())
        .optionalId("request_id", request.getRequestId())
        .remark("reason", request.getReason())
        .done();
    String requestId = request.getRequestId();
    Firing firing =
        firings.trigger(
            Requests.namespace(request.getNamespace()),
            request.getScheduleId(),
            requestId.isEmpty() ? null : RunId.parse(requestId));
    log.info("schedule {} was triggered ({})", request.getScheduleId(), request.getReason());
    return TriggerScheduleResponse.newBuilder()
        .setFiring(ScheduleMapper.toWire(firing, null))
        .build();
  }

  BackfillScheduleResponse backfill(BackfillScheduleRequest request) {
    Validation check =
        ScheduleCalls.check(request.getNamespace(), request.getScheduleId())
            .require(request.hasFrom(), "from", "is absent (expected: a moment)")
            .require(request.hasTo(), "to", "is absent (expected: a moment)")
            .moment("from", request.getFrom())
            .moment("to", request.getTo())
            .optionalKnown("overlap_policy", request.getOverlapPolicy())
            .remark("reason", request.getReason());
    check.done();
    Instant from = TimeMapper.toInstant(request.getFrom());
    Instant to = TimeMapper.toInstant(request.getTo());
    check.require(!to.isBefore(from), "to", "lies before from (expected: the same or later)");
    check.done();
    Backfilled done =
        firings.backfill(
            Requests.namespace(request.getNamespace()),
            request.getScheduleId(),
            new Backfill(
                from,
                to,
                ScheduleMapper.overlapOrNull(request.getOverlapPolicy()),
                request.getDryRun()));
    log.info("schedule {} was backfilled ({})", request.getScheduleId(), request.getReason());
    var response =
        BackfillScheduleResponse.newBuilder()
            .setFired(done.fired())
            .setAlreadyFired(done.alreadyFired())
            .setSkipped(done.skipped());
    done.runs().forEach(runId -> response.addRunIds(runId.toString()));
    Instant goOn = done.continueFrom();
    if (goOn != null) {
      response.setContinueFrom(TimeMapper.toWire(goOn));
    }
    return response.build();
  }
}
