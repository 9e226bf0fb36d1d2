package dev.kagzi.engine.operation;

import dev.kagzi.core.Durations;
import dev.kagzi.engine.domain.ComponentHealth;
import dev.kagzi.engine.domain.Health;
import dev.kagzi.engine.domain.LoopPulse;
import dev.kagzi.engine.jdbc.Database;
import dev.kagzi.engine.store.HealthStore;
import dev.kagzi.engine.store.NodeStore;
import dev.kagzi.engine.store.Schema;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Looks how well this server is. An answer never takes much longer than the limit of one look at
 * the database, whatever has become of it, and however many ask, one look is under way at a time.
 * Thread-safe.
 */
public final class Checkups {

  /** A database that has not answered by then does not answer. */
  private static final Duration LIMIT = Duration.ofSeconds(1);

  /** A round trip that takes longer keeps everybody waiting. */
  private static final Duration SLOW = Duration.ofMillis(500);

  /** Timers are promised to a tenth of this. */
  private static final Duration MAX_DRIFT = Duration.ofSeconds(1);

  /**
   * What the server knows of itself without looking.
   *
   * @param listening whether news of other servers arrives
   * @param setBack how far the database's clock was set back lately, or null
   * @param leaving whether it shuts down
   */
  public record Vitals(
      boolean listening, @Nullable Duration setBack, boolean leaving, List<LoopPulse> loops) {}

  /**
   * What a look at the database found.
   *
   * @param drift how far the engine's time was from the database's
   */
  private record Look(
      Duration latency, Duration drift, HealthStore.Crew crew, Optional<Integer> schema) {}

  private final Database database;
  private final InstantSource clock;
  private final Duration silence;
  private final NodeStore nodes = new NodeStore();
  private final HealthStore store = new HealthStore();
  private final AtomicReference<@Nullable CompletableFuture<Look>> underWay =
      new AtomicReference<>();

  /**
   * Looks at a database.
   *
   * @param silence from which on a worker is not well
   */
  public Checkups(Database database, InstantSource clock, Duration silence) {
    this.database = database;
    this.clock = clock;
    this.silence = silence;
  }

  /** Every part of the server, the worst decides. */
  public List<ComponentHealth> check(Vitals vitals) {
    List<ComponentHealth> parts = new ArrayList<>();
    if (vitals.leaving()) {
      parts.add(new ComponentHealth("server", Health.UNHEALTHY, "the server is shutting down"));
    }
    try {
      Look look = look().get(LIMIT.toNanos(), TimeUnit.NANOSECONDS);
      parts.add(database.isFull() ? full(look) : database(look));
      parts.add(clock(look, vitals.setBack()));
      parts.add(migrations(look));
      parts.add(workers(look.crew()));
    } catch (TimeoutException slow) {
      parts.addAll(withoutDatabase("no answer within %d ms".formatted(LIMIT.toMillis())));
    } catch (ExecutionException failure) {
      parts.addAll(withoutDatabase(String.valueOf(failure.getCause())));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      parts.addAll(withoutDatabase("the look was broken off"));
    }
    parts.add(
        vitals.listening()
            ? new ComponentHealth("listen", Health.HEALTHY, "news of other servers arrives")
            : new ComponentHealth(
                "listen", Health.DEGRADED, "no news of other servers arrives; polling instead"));
    vitals.loops().forEach(loop -> parts.add(loop.judge()));
    return List.copyOf(parts);
  }

  /** Joins the look that is under way: a database that hangs holds one thread, not many. */
  private CompletableFuture<Look> look() {
    CompletableFuture<Look> mine = new CompletableFuture<>();
    CompletableFuture<Look> others = underWay.compareAndExchange(null, mine);
    if (others != null) {
      return others;
    }
    Thread.ofVirtual().name("kagzi-checkup").start(() -> lookAndTell(mine));
    return mine;
  }

  private void lookAndTell(CompletableFuture<Look> waiting) {
    try {
      Look seen = lookNow();
      underWay.set(null);
      waiting.complete(seen);
    } catch (RuntimeException | Error failure) {
      underWay.set(null);
      waiting.completeExceptionally(failure);
    }
  }

  private Look lookNow() {
    return database.once(tx -> {
      long sent = System.nanoTime();
      Instant databaseTime = nodes.databaseTime(tx);
      Duration latency = Duration.ofNanos(System.nanoTime() - sent);
      Instant now = clock.instant();
      Duration drift = Duration.between(databaseTime, now).abs().minus(latency);
      return new Look(latency, drift, store.crew(tx, now.minus(silence)), store.schemaVersion(tx));
    });
  }

  private static List<ComponentHealth> withoutDatabase(String why) {
    String unknown = "not known: the database does not answer";
    return List.of(
        new ComponentHealth("database", Health.UNHEALTHY, why),
        new ComponentHealth("clock", Health.DEGRADED, unknown),
        new ComponentHealth("migrations", Health.DEGRADED, unknown),
        new ComponentHealth("workers", Health.DEGRADED, unknown));
  }

  private static ComponentHealth database(Look look) {
    boolean slow = look.latency().compareTo(SLOW) > 0;
    return new ComponentHealth(
        "database",
        slow ? Health.DEGRADED : Health.HEALTHY,
        slow ? "answers slowly" : "answers",
        look.latency());
  }

  private static ComponentHealth full(Look look) {
    return new ComponentHealth(
        "database",
        Health.UNHEALTHY,
        "its disk is full: it answers and cannot be written to; free some space",
        look.latency());
  }

  private static ComponentHealth clock(Look look, @Nullable Duration setBack) {
    if (setBack != null) {
      return new ComponentHealth(
          "clock",
          Health.DEGRADED,
          "the database's clock was set back by %s; timers fire that much later"
              .formatted(setBack));
    }
    return look.drift().compareTo(MAX_DRIFT) > 0
        ? new ComponentHealth(
            "clock",
            Health.DEGRADED,
            "the engine's time is %s from the database's".formatted(look.drift()))
        : new ComponentHealth("clock", Health.HEALTHY, "follows the database's");
  }

  private static ComponentHealth migrations(Look look) {
    int found = look.schema().orElse(Schema.VERSION);
    if (found == Schema.VERSION) {
      return new ComponentHealth(
          "migrations", Health.HEALTHY, "the schema is at version %d".formatted(found));
    }
    return new ComponentHealth(
        "migrations",
        found < Schema.VERSION ? Health.UNHEALTHY : Health.DEGRADED,
        "the schema is at version %d (expected: %d)".formatted(found, Schema.VERSION));
  }

  private ComponentHealth workers(HealthStore.Crew crew) {
    return new ComponentHealth(
        "workers",
        crew.silent() > 0 ? Health.DEGRADED : Health.HEALTHY,
        "%d online, %d draining, %d silent for more than %s"
            .formatted(crew.online(), crew.draining(), crew.silent(), Durations.format(silence)));
  }
}
