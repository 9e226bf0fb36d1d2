package dev.kagzi.testing.internal;

import dev.kagzi.engine.Engine;
import dev.kagzi.engine.EngineConfig;
import dev.kagzi.server.grpc.GrpcServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.UUID;

/** A server whose time a test moves, on a database of its own. Thread-safe. */
public final class TestServer implements AutoCloseable {

  /** Longer than any lease: none has an end that is not before this. */
  private static final Duration FAR = Duration.ofDays(36_500);

  private final String name = "test-" + UUID.randomUUID();
  private final StepReports reports = new StepReports();
  private final TestDatabase database;
  private final Engine engine;
  private final GrpcServer grpc;
  private final Clockwork clockwork;
  private final String address;

  public TestServer() {
    var time = new TestTime();
    this.database = new TestDatabase();
    this.engine = Engine.atRest(database.dataSource(), EngineConfig.defaults(), time);
    this.clockwork = new Clockwork(engine.passingTime(), time);
    this.grpc = serve();
    this.address = TestChannels.open(name, new WorkerWire(reports, this::loseWorkers));
  }

  private GrpcServer serve() {
    try {
      return GrpcServer.inProcess(engine, name);
    } catch (IOException taken) {
      throw new UncheckedIOException(taken);
    }
  }

  /** Takes back whatever is held, as when the process of the workers has died. */
  private void loseWorkers() {
    engine.recovery().sweepLeases(engine.clock().instant().plus(FAR));
  }

  public String address() {
    return address;
  }

  public StepReports reports() {
    return reports;
  }

  public Clockwork clockwork() {
    return clockwork;
  }

  @Override
  public void close() {
    TestChannels.forget(name);
    engine.drain();
    grpc.shutDown(Duration.ZERO);
    engine.close();
    grpc.close();
    database.close();
  }
}
