package dev.kagzi.server.grpc;

import dev.kagzi.engine.Engine;
import io.grpc.BindableService;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** All services of the contract over one engine. Thread-safe. */
final class Services implements AutoCloseable {

  private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
  private final Awaits awaits;
  private final WorkStreams streams;
  private final List<BindableService> endpoints;

  Services(Engine engine) {
    var limit = new WaitLimit();
    var polls = new TaskPolls(engine, limit, executor);
    var calls = WorkerCalls.over(engine);
    this.awaits = new Awaits(engine.completions(), limit);
    this.streams =
        new WorkStreams(
            new WorkStreamSession.Handlers(
                new WorkDispatch(calls), polls, engine.presence(), engine.news(), executor));
    this.endpoints =
        List.of(
            new WorkflowEndpoint(engine, awaits),
            new WorkerEndpoint(engine, calls, polls, streams),
            new ScheduleEndpoint(engine),
            new AdminEndpoint(engine),
            new NamespaceEndpoint(engine.namespaces()));
  }

  List<BindableService> endpoints() {
    return endpoints;
  }

  /** Ends what waits, after the engine has answered the polls. */
  void drain() {
    awaits.drain();
    streams.drain();
  }

  /** Waits for the calls that are still being carried out; the engine must answer them. */
  @Override
  public void close() {
    executor.close();
  }
}
