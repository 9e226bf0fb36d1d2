package dev.kagzi.cli.workflow;

import dev.kagzi.cli.client.Server;
import dev.kagzi.cli.output.Lengths;
import dev.kagzi.cli.output.Look;
import dev.kagzi.cli.output.Words;
import dev.kagzi.cli.shell.CommandFailedException;
import dev.kagzi.cli.shell.ExitCode;
import dev.kagzi.cli.shell.Progress;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.v1.AwaitWorkflowRequest;
import dev.kagzi.v1.AwaitWorkflowResponse;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** Waits for a run to end, in calls that are short enough to look at it in between. */
final class Wait {
  private static final Duration PIECE = Duration.ofMillis(500);
  private static final Duration LONGEST_PIECE = Duration.ofSeconds(10);

  /** A look at a run of many steps takes long; the server must not be busy with being looked at. */
  private static final int WAIT_PER_LOOK = 5;

  private final Session session;
  private final Server server;
  private final @Nullable Duration limit;

  /** Waits no longer than the limit; without one, for ever. */
  Wait(Session session, Server server, @Nullable Duration limit) {
    this.session = session;
    this.server = server;
    this.limit = limit;
  }

  /**
   * Waits until the run has ended.
   *
   * @param look called between two pieces of waiting, and once more at the end
   */
  AwaitWorkflowResponse until(String runId, Runnable look) {
    var began = System.nanoTime();
    var status = "";
    try (var progress = new Progress(session)) {
      while (true) {
        progress.clear();
        var looked = timed(look);
        var elapsed = Duration.ofNanos(System.nanoTime() - began);
        progress.show(
            "waiting for %s%s, %s".formatted(Look.shortId(runId), status, Lengths.exact(elapsed)));
        var wanted = shorter(longer(PIECE, looked.multipliedBy(WAIT_PER_LOOK)), LONGEST_PIECE);
        var piece = limit == null ? wanted : shorter(wanted, limit.minus(elapsed));
        var response = server.waiting(piece, stub -> stub.awaitWorkflow(request(runId, piece)));
        if (response.getFinished()) {
          progress.clear();
          look.run();
          return response;
        }
        requireTime(runId, elapsed, response);
        status = ": " + Words.of(response.getRun().getStatus());
      }
    } catch (CancellationException told) {
      session.err().println("the run goes on: kagzi wf result " + runId);
      throw told;
    }
  }

  private AwaitWorkflowRequest request(String runId, Duration piece) {
    return AwaitWorkflowRequest.newBuilder()
        .setNamespace(server.namespace())
        .setRunId(runId)
        .setWait(
            com.google.protobuf.Duration.newBuilder()
                .setSeconds(piece.getSeconds())
                .setNanos(piece.getNano()))
        .build();
  }

  private static Duration timed(Runnable look) {
    var began = System.nanoTime();
    look.run();
    return Duration.ofNanos(System.nanoTime() - began);
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  private static Duration shorter(Duration one, Duration other) {
    var least = one.compareTo(other) < 0 ? one : other;
    return least.isNegative() ? Duration.ZERO : least;
  }

  private void requireTime(String runId, Duration elapsed, AwaitWorkflowResponse response) {
    if (limit != null && elapsed.compareTo(limit) >= 0) {
      throw new CommandFailedException(
          ExitCode.TIMED_OUT,
          "run %s is still %s after %s; it goes on: kagzi wf explain %s"
              .formatted(
                  Look.shortId(runId),
                  Words.of(response.getRun().getStatus()),
                  Lengths.exact(limit),
                  Look.shortId(runId)),
          null);
    }
  }
}
