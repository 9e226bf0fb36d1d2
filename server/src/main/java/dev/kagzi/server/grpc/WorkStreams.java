package dev.kagzi.server.grpc;

import dev.kagzi.v1.WorkRequest;
import dev.kagzi.v1.WorkResponse;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The open Work streams of this server. Thread-safe. */
final class WorkStreams {

  private final WorkStreamSession.Handlers handlers;
  private final Set<WorkStreamSession> open = ConcurrentHashMap.newKeySet();
  private volatile boolean draining;

  WorkStreams(WorkStreamSession.Handlers handlers) {
    this.handlers = handlers;
  }

  StreamObserver<WorkRequest> open(StreamObserver<WorkResponse> caller) {
    var session =
        new WorkStreamSession(
            (ServerCallStreamObserver<WorkResponse>) caller, handlers, open::remove);
    open.add(session);
    session.start();
    if (draining) {
      session.finish();
    }
    return session;
  }

  /** Ends all streams in good order, and those that are still opened at once. */
  void drain() {
    draining = true;
    open.forEach(WorkStreamSession::finish);
  }
}
