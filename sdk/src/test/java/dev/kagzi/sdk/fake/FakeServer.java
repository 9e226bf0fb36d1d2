package dev.kagzi.sdk.fake;

import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** A server in memory, reachable at {@link #address}. */
public final class FakeServer implements AutoCloseable {

  private static final AtomicInteger NAMES = new AtomicInteger();

  private final Faults faults = new Faults();
  private final FakeRuns runs = new FakeRuns();
  private final FakeCalls calls = new FakeCalls(runs, faults);
  private final FakeWorkerService workers = new FakeWorkerService(runs, calls, faults);
  private final FakeWorkflowService workflows = new FakeWorkflowService(runs, calls, faults);
  private final FakeScheduleService schedules = new FakeScheduleService(calls, faults);
  private final FakeAdminService admin = new FakeAdminService(calls);
  private final Server server;
  private final String address;

  private FakeServer(ServerBuilder<?> transport, String inProcessAddress) {
    try {
      this.server =
          transport
              .executor(Executors.newVirtualThreadPerTaskExecutor())
              .addService(workers)
              .addService(workflows)
              .addService(schedules)
              .addService(admin)
              .build()
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    this.address = inProcessAddress.isEmpty() ? "localhost:" + server.getPort() : inProcessAddress;
  }

  public static FakeServer inProcess() {
    String name = "fake-" + NAMES.incrementAndGet();
    return new FakeServer(InProcessServerBuilder.forName(name), InProcessChannels.SCHEME + name);
  }

  public static FakeServer overTcp() {
    return new FakeServer(NettyServerBuilder.forPort(0), "");
  }

  public String address() {
    return address;
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

  public FakeWorkflowService workflows() {
    return workflows;
  }

  public FakeScheduleService schedules() {
    return schedules;
  }

  public FakeAdminService admin() {
    return admin;
  }

  @Override
  public void close() {
    server.shutdownNow();
  }
}
