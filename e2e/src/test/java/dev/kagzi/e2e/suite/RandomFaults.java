package dev.kagzi.e2e.suite;

import dev.kagzi.faults.Fault;
import dev.kagzi.faults.PlannedFaults;
import dev.kagzi.faults.SeededFaults;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;

/**
 * Faults under every server of the suite, if a system property asks for them: what share of all
 * statements is hit in each of four ways.
 */
public final class RandomFaults {

  /** The share of each kind of fault, such as {@code 0.01}. */
  public static final String SHARE = "kagzi.faults.share";

  /** Which statements are hit; some seed if it is absent. */
  public static final String SEED = "kagzi.faults.seed";

  private final double share;
  private final long seed;
  private final List<PlannedFaults> sources = new CopyOnWriteArrayList<>();

  /** A server's data source, on which nothing is safe once the server stands. */
  record Source(DataSource dataSource, Runnable begin) {}

  private RandomFaults(double share, long seed) {
    this.share = share;
    this.seed = seed;
  }

  static RandomFaults asTold() {
    double share = Double.parseDouble(System.getProperty(SHARE, "0"));
    long seed = Long.getLong(SEED, System.nanoTime());
    var faults = new RandomFaults(share, seed);
    if (faults.areWanted()) {
      System.out.printf("faults.share: %s%nfaults.seed: %d%n", share, seed);
      Runtime.getRuntime().addShutdownHook(new Thread(faults::report));
    }
    return faults;
  }

  boolean areWanted() {
    return share > 0;
  }

  /** Each server has faults of its own. */
  synchronized Source under(DataSource target) {
    if (!areWanted()) {
      return new Source(target, () -> {});
    }
    var plan = new SeededFaults(seed + sources.size(), share);
    var source = new PlannedFaults(target, plan);
    sources.add(source);
    return new Source(source.dataSource(), plan::begin);
  }

  private void report() {
    for (Fault kind : SeededFaults.KINDS) {
      int hits = sources.stream().mapToInt(source -> source.hits().getOrDefault(kind, 0)).sum();
      System.out.printf("%s%d%n", hitsOf(kind), hits);
    }
  }

  /** How the line begins that ends with the number of times a fault has happened. */
  public static String hitsOf(Fault kind) {
    return "faults.hits of %s %s: ".formatted(kind.action(), kind.moment());
  }
}
