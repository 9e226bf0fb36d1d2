package dev.kagzi.peers;

import dev.kagzi.bench.driver.Contender;
import dev.restate.common.Request;
import dev.restate.common.Target;
import dev.restate.sdk.Context;
import dev.restate.sdk.DurableFuture;
import dev.restate.sdk.HandlerRunner;
import dev.restate.sdk.endpoint.definition.HandlerDefinition;
import dev.restate.sdk.endpoint.definition.HandlerType;
import dev.restate.sdk.endpoint.definition.ServiceDefinition;
import dev.restate.sdk.endpoint.definition.ServiceType;
import dev.restate.serde.Serde;
import dev.restate.serde.jackson.JacksonSerdeFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** What the workflows do: handlers of a plain service, whose steps are journalled. Thread-safe. */
final class RestateHandlers {
  static final String SERVICE = "Bench";
  static final String STEPS = "steps";
  static final String PARALLEL = "parallel";
  static final String PARENT = "parent";
  static final String CHILD = "child";
  static final String REPLAY = "replay";

  private static final double NANOS_PER_MILLI = 1e6;
  private static final Serde<String> TEXT = JacksonSerdeFactory.DEFAULT.create(String.class);
  private static final Serde<Integer> NUMBER = JacksonSerdeFactory.DEFAULT.create(Integer.class);

  private final AtomicLong ended = new AtomicLong();
  private final Set<String> recorded = ConcurrentHashMap.newKeySet();
  private volatile long replayArrivedAt;

  /** What all handlers look like. */
  private interface Code<O> {
    O run(Context ctx, int number);
  }

  ServiceDefinition service() {
    return ServiceDefinition.of(
        SERVICE,
        ServiceType.SERVICE,
        List.of(
            handler(STEPS, TEXT, this::steps),
            handler(PARALLEL, NUMBER, RestateHandlers::parallel),
            handler(PARENT, NUMBER, RestateHandlers::parent),
            handler(CHILD, TEXT, (ctx, number) -> Contender.RESULT),
            handler(REPLAY, TEXT, this::replay)));
  }

  private static <O> HandlerDefinition<Integer, O> handler(
      String name, Serde<O> result, Code<O> code) {
    return HandlerDefinition.of(
        name,
        HandlerType.SHARED,
        NUMBER,
        result,
        HandlerRunner.<Context, Integer, O>of(
            (ctx, number) -> code.run(ctx, number), JacksonSerdeFactory.DEFAULT, null));
  }

  /** How many workflows of steps have ended. */
  long ended() {
    return ended.get();
  }

  /** Hears of every request before the SDK does. */
  void arrived(String path) {
    if (path.endsWith("/" + REPLAY)) {
      replayArrivedAt = System.nanoTime();
    }
  }

  private String steps(Context ctx, int count) {
    var last = "";
    for (int i = 0; i < count; i++) {
      last = ctx.run("step", TEXT, () -> Contender.RESULT);
    }
    ended.incrementAndGet();
    return last;
  }

  private static int parallel(Context ctx, int count) {
    var begun = new ArrayList<DurableFuture<?>>();
    for (int i = 0; i < count; i++) {
      begun.add(ctx.runAsync("item", TEXT, () -> Contender.RESULT));
    }
    DurableFuture.all(begun).await();
    return count;
  }

  private static int parent(Context ctx, int children) {
    var begun = new ArrayList<DurableFuture<?>>();
    for (int i = 0; i < children; i++) {
      begun.add(ctx.call(Request.of(Target.service(SERVICE, CHILD), NUMBER, TEXT, i)));
    }
    DurableFuture.all(begun).await();
    return children;
  }

  /** Fails once in its first new step, so that the server sends the journal again. */
  private String replay(Context ctx, int steps) {
    var id = ctx.request().invocationId().toString();
    for (int i = 0; i < steps; i++) {
      ctx.run("settled", TEXT, () -> Contender.RESULT);
    }
    return ctx.run(
        "new",
        TEXT,
        () -> {
          if (recorded.add(id)) {
            throw new IllegalStateException("the steps are recorded; now once more");
          }
          return Double.toString((System.nanoTime() - replayArrivedAt) / NANOS_PER_MILLI);
        });
  }
}
