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
  private final OpenStreams streams;
  private final List<BindableService> endpoints;

  /**
   * Makes them.
   *
   * @param callersMayWait whether frames of streams are brought by those who sent them
   */
  Services(Engine engine, boolean callersMayWait) {
    var limit = new WaitLimit();
    var polls = new TaskPolls(engine, limit, executor);
    var calls = WorkerCalls.over(engine);
    var names = new RunNames(engine.workflows());
    this.awaits = new Awaits(engine, names, limit);
    this.streams = new OpenStreams(executor);
    var starts = new StartCalls(engine.messages(), engine.workflows());
    this.endpoints =
        List.of(
            new WorkflowEndpoint(
                engine, names, new AskStreamSession.Handlers(starts, awaits, streams)),
            new WorkerEndpoint(
                engine,
                calls,
                polls,
                new WorkStreamSession.Handlers(
                    new WorkDispatch(calls),
                    polls,
                    engine.presence(),
                    engine.news(),
                    streams,
                    callersMayWait)),
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
