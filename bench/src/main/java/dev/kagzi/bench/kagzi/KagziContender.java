package dev.kagzi.bench.kagzi;

import com.zaxxer.hikari.HikariDataSource;
import dev.kagzi.bench.driver.Ability;
import dev.kagzi.bench.driver.Contender;
import dev.kagzi.bench.kagzi.BenchTypes.ReplayPlan;
import dev.kagzi.embedded.Kagzi;
import dev.kagzi.sdk.WorkflowType;
import dev.kagzi.sdk.client.KagziClient;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Kagzi, as a client sees it. */
public final class KagziContender implements Contender {
  private static final int FIRST_RUNS = 20;
  private static final long MANY = 1_000;

  /** Each look reads what is left to do, and whatever it costs is missing elsewhere. */
  private static final long LOOK_MILLIS = 50;

  private static final long LOOK_AT_MANY_MILLIS = 500;

  /** What the documentation recommends. */
  private static final int POOL_SIZE = 10;

  private final KagziClient client;
  private final BenchTypes types;
  private final LiveRuns liveRuns;
  private final List<Runnable> closedInTurn = new ArrayList<>();

  private KagziContender(KagziClient client, BenchTypes types, LiveRuns liveRuns) {
    this.client = client;
    this.types = types;
    this.liveRuns = liveRuns;
    closedInTurn.add(client::close);
    closedInTurn.add(liveRuns::close);
  }

  /** A client of a server, whose runs a worker elsewhere executes. */
  public static KagziContender remote(String address, String queue) {
    var types = new BenchTypes(queue);
    return new KagziContender(
        KagziClient.connect(address), types, new CountedByServer(address, types.steps().name()));
  }

  /** A server, a worker and a client in this process. */
  @SuppressWarnings("MustBeClosed") // Everything is closed with the contender.
  public static KagziContender embedded(String database, String queue) {
    var types = new BenchTypes(queue);
    var pool = new HikariDataSource();
    pool.setJdbcUrl(database);
    pool.setMaximumPoolSize(POOL_SIZE);
    var kagzi = Kagzi.embedded(pool).start();
    var worker = BenchWorkflows.worker(kagzi.address(), types);
    worker.start();
    var contender =
        new KagziContender(
            KagziClient.connect(kagzi.address()),
            types,
            new CountedInDatabase(pool, types.steps().name()));
    contender.closedInTurn.add(worker::close);
    contender.closedInTurn.add(kagzi::close);
    contender.closedInTurn.add(pool::close);
    return contender;
  }

  @Override
  public Set<Ability> abilities() {
    return EnumSet.allOf(Ability.class);
  }

  /** The first calls of all find cold processes; they must not come all at once. */
  @Override
  public void prepare() throws InterruptedException {
    for (int i = 0; i < FIRST_RUNS; i++) {
      startAndAwait(1);
    }
  }

  @Override
  public void start(int steps) {
    var unused = client.start(types.steps()).queue(types.queue()).input(steps).send();
  }

  @Override
  public void awaitAll() throws Exception {
    for (long live = liveRuns.count(); live > 0; live = liveRuns.count()) {
      Thread.sleep(live > MANY ? LOOK_AT_MANY_MILLIS : LOOK_MILLIS);
    }
  }

  @Override
  public void startAndAwait(int steps) throws InterruptedException {
    var unused = execute(types.steps(), steps);
  }

  @Override
  public double[] replay(int steps, int times) throws InterruptedException {
    return execute(types.replay(), new ReplayPlan(steps, times)).millis().stream()
        .mapToDouble(Double::doubleValue)
        .toArray();
  }

  @Override
  public void fanOutSteps(int steps) throws InterruptedException {
    var unused = execute(types.parallel(), steps);
  }

  @Override
  public void fanOutChildren(int children) throws InterruptedException {
    var unused = execute(types.parent(), children);
  }

  private <I, O> O execute(WorkflowType<I, O> type, I input) throws InterruptedException {
    return client.start(type).queue(types.queue()).input(input).send().result();
  }

  @Override
  public void close() {
    closedInTurn.forEach(Runnable::run);
    closedInTurn.clear();
  }
}
