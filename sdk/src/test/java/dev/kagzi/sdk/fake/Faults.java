package dev.kagzi.sdk.fake;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What goes wrong on the fake server, by the name of the call; in the order it was ordered. */
public final class Faults {

  /** A fault that strikes once. */
  private sealed interface Fault {
    /** The call is not carried out and answers with this. */
    record Refuse(StatusRuntimeException error) implements Fault {}

    /** The call is carried out, and its reply is lost together with the connection. */
    record LoseReply() implements Fault {}

    /** The call is carried out, and its reply has to wait. */
    record HoldReply(CountDownLatch until) implements Fault {}
  }

  /** Thrown instead of a reply that is lost. */
  static final class ReplyLost extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  private final Map<String, Queue<Fault>> ordered = new ConcurrentHashMap<>();
  private final Map<String, StatusRuntimeException> lasting = new ConcurrentHashMap<>();

  public void refuseOnce(String rpc, StatusRuntimeException error) {
    queue(rpc).add(new Fault.Refuse(error));
  }

  public void loseReplyOnce(String rpc) {
    queue(rpc).add(new Fault.LoseReply());
  }

  /** Keeps the next reply back until the latch is released. */
  public CountDownLatch holdReplyOnce(String rpc) {
    var until = new CountDownLatch(1);
    queue(rpc).add(new Fault.HoldReply(until));
    return until;
  }

  /** Refuses every such call until {@link #heal}. */
  public void refuseAlways(String rpc, StatusRuntimeException error) {
    lasting.put(rpc, error);
  }

  public void unavailable(String rpc) {
    refuseAlways(rpc, Status.UNAVAILABLE.withDescription("down").asRuntimeException());
  }

  public void heal(String rpc) {
    lasting.remove(rpc);
  }

  private Queue<Fault> queue(String rpc) {
    return ordered.computeIfAbsent(rpc, name -> new ConcurrentLinkedQueue<>());
  }

  <R> R apply(String rpc, Supplier<R> call) {
    StatusRuntimeException always = lasting.get(rpc);
    if (always != null) {
      throw always;
    }
    Fault fault = next(rpc);
    if (fault instanceof Fault.Refuse refuse) {
      throw refuse.error();
    }
    R reply = call.get();
    if (fault instanceof Fault.LoseReply) {
      throw new ReplyLost();
    }
    if (fault instanceof Fault.HoldReply held) {
      await(held.until());
    }
    return reply;
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException cancelled) {
      Thread.currentThread().interrupt();
    }
  }

  private @Nullable Fault next(String rpc) {
    return queue(rpc).poll();
  }
}
