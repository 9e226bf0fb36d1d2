package dev.kagzi.bench.kagzi;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;

/** The worker process of the measurement; lives no longer than the process that started it. */
public final class BenchWorker {
  /** What it prints when a server has accepted it. */
  public static final String READY = "worker is registered";

  private static final long LOOK_MILLIS = 20;

  private BenchWorker() {}

  /** Works until the parent is gone: then its end of our standard input is closed. */
  public static void run(String address, String queue, PrintStream out, InputStream parent)
      throws IOException, InterruptedException {
    try (var worker = BenchWorkflows.worker(address, new BenchTypes(queue))) {
      worker.start();
      while (!worker.isRegistered()) {
        Thread.sleep(LOOK_MILLIS);
      }
      out.println(READY);
      out.flush();
      parent.transferTo(OutputStream.nullOutputStream());
    }
  }
}
