package dev.kagzi.testing.internal;

import com.google.protobuf.Any;
import com.google.protobuf.Duration;
import com.google.rpc.Code;
import com.google.rpc.ErrorInfo;
import com.google.rpc.Status;
import dev.kagzi.testing.internal.StepReports.Place;
import dev.kagzi.v1.RegisterResponse;
import dev.kagzi.v1.WorkCall;
import dev.kagzi.v1.WorkReply;
import dev.kagzi.v1.WorkRequest;
import dev.kagzi.v1.WorkResponse;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Listens to what the worker says about steps, and loses it after one. A lost worker is one whose
 * leases are taken back after the engine has recorded the step and before the worker hears of it:
 * all it learns is that its run is not its own any more, so it drops it without a word, and the run
 * is claimed again. Thread-safe.
 */
final class WorkerWire implements ClientInterceptor {

  private final StepReports reports;
  private final Runnable loseWorker;

  WorkerWire(StepReports reports, Runnable loseWorker) {
    this.reports = reports;
    this.loseWorker = loseWorker;
  }

  /** What was said about a step: by whom, and whether it may be the last word. */
  private record Said(Place place, int epoch) {}

  @Override
  public <Q, R> ClientCall<Q, R> interceptCall(
      MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
    Map<Long, Said> open = new ConcurrentHashMap<>();
    return new SimpleForwardingClientCall<Q, R>(next.newCall(method, options)) {
      @Override
      public void start(Listener<R> listener, Metadata headers) {
        super.start(
            new SimpleForwardingClientCallListener<R>(listener) {
              @Override
              @SuppressWarnings("unchecked") // Each message is replaced by one of its own type.
              public void onMessage(R message) {
                super.onMessage((R) heard(message, open));
              }
            },
            headers);
      }

      @Override
      public void sendMessage(Q message) {
        if (message instanceof WorkRequest frame) {
          frame.getCallsList().forEach(call -> note(call, open));
        }
        super.sendMessage(message);
      }
    };
  }

  private void note(WorkCall call, Map<Long, Said> open) {
    if (call.hasCompleteStep()) {
      var step = call.getCompleteStep();
      said(call, step.getRunId(), step.getStep().getStepKey(), step.getLeaseEpoch(), open);
    } else if (call.hasFailStep()) {
      var step = call.getFailStep();
      said(call, step.getRunId(), step.getStep().getStepKey(), step.getLeaseEpoch(), open);
    }
  }

  private void said(WorkCall call, String runId, String key, int epoch, Map<Long, Said> open) {
    var place = new Place(runId, key);
    reports.executed(place, epoch);
    open.put(call.getCorrelationId(), new Said(place, epoch));
  }

  private Object heard(Object message, Map<Long, Said> open) {
    if (message instanceof WorkResponse frame) {
      return heard(frame, open);
    }
    if (message instanceof RegisterResponse terms) {
      // Waits in the worker go by the time on the wall; the test's time passes for runs only.
      return terms.toBuilder().setMaxLocalRetryWait(Duration.getDefaultInstance()).build();
    }
    return message;
  }

  private WorkResponse heard(WorkResponse frame, Map<Long, Said> open) {
    WorkResponse.Builder changed = frame.toBuilder().clearReplies();
    for (WorkReply reply : frame.getRepliesList()) {
      Said said = open.remove(reply.getCorrelationId());
      boolean settled =
          reply.hasCompleteStep() || (reply.hasFailStep() && reply.getFailStep().hasSettled());
      if (said != null && settled && reports.settled(said.place(), said.epoch())) {
        loseWorker.run();
        changed.addReplies(lost(reply));
      } else {
        changed.addReplies(reply);
      }
    }
    return changed.build();
  }

  private static WorkReply lost(WorkReply reply) {
    var reason = ErrorInfo.newBuilder().setReason("LEASE_LOST").setDomain("kagzi.dev").build();
    return WorkReply.newBuilder()
        .setCorrelationId(reply.getCorrelationId())
        .setError(
            Status.newBuilder()
                .setCode(Code.ABORTED_VALUE)
                .setMessage("the test has taken the run from its worker")
                .addDetails(Any.pack(reason)))
        .build();
  }
}
