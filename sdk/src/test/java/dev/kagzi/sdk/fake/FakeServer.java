package dev.kagzi.sdk.fake;

import io.grpc.Server;
import io.grpc.inprocess.InProcessServerBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** A server in memory, reachable at {@link #address}. */
public final class FakeServer implements AutoCloseable {

  private static final AtomicInteger NAMES = new AtomicInteger();

  private final String name = "fake-" + NAMES.incrementAndGet();
  private final Faults faults = new Faults();
  private final FakeRuns runs = new FakeRuns();
  private final FakeCalls calls = new FakeCalls(runs, faults);
  private final FakeWorkerService workers = new FakeWorkerService(runs, calls, faults);
  private final Server server;

  public FakeServer() {
    try {
      this.server =
          InProcessServerBuilder.forName(name)
              .executor(Executors.newVirtualThreadPerTaskExecutor())
              .addService(workers)
              .addService(new FakeWorkflowService(runs, calls, faults))
              .build()
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public String address() {
    return InProcessChannels.SCHEME + name;
  }

  public Faults faults() {
    return faults;
  }

  public FakeRuns runs() {
    return runs;
  }

  public FakeCalls calls() {
    return calls;
  }

  public FakeWorkerService workers() {
    return workers;
  }

  @Override
  public void close() {
    server.shutdownNow();
  }
}
