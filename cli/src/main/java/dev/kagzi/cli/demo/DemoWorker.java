package dev.kagzi.cli.demo;

import dev.kagzi.cli.demo.Ledger.Entry;
import dev.kagzi.sdk.worker.Worker;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.concurrent.CountDownLatch;

/** The worker process of the demonstration; lives no longer than the process that started it. */
public final class DemoWorker {
  static final String QUEUE = "demo";

  private final String address;
  private final Ledger ledger;
  private final boolean waits;
  private final PrintStream out;

  /**
   * Describes a worker.
   *
   * @param waits whether it stops after the second step, to be killed
   * @param out where the parent listens
   */
  public DemoWorker(String address, Path ledger, boolean waits, PrintStream out) {
    this.address = address;
    this.ledger = new Ledger(ledger);
    this.waits = waits;
    this.out = out;
  }

  /** Works until the parent is gone: then its end of our standard input is closed. */
  public void runUntilEnd(InputStream parent) throws IOException {
    var workflow = new OrderWorkflow(this::happen, this::reachPausePoint, this::tell);
    var worker = Worker.builder(address, QUEUE).register(OrderWorkflow.TYPE, workflow).build();
    worker.start();
    parent.transferTo(OutputStream.nullOutputStream());
  }

  private void happen(String step) throws IOException {
    var now = InstantSource.system().instant();
    ledger.append(new Entry(step, ProcessHandle.current().pid(), now));
  }

  private void reachPausePoint() throws InterruptedException {
    if (waits) {
      tell(Signal.of(Signal.Kind.WAITING));
      new CountDownLatch(1).await();
    }
  }

  private void tell(Signal signal) {
    out.println(signal.line());
    out.flush();
  }
}
