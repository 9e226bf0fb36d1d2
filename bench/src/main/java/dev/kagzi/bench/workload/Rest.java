package dev.kagzi.bench.workload;

import dev.kagzi.bench.system.Disk;
import dev.kagzi.bench.system.Entrant;
import dev.kagzi.bench.system.PostgresProbe;
import java.util.List;

/**
 * What came of bringing systems to rest: each round begins as if nothing had been before it,
 * whoever had a turn. What one has left to do, dead rows, pages that are not on disk yet, work that
 * it has accepted, is done first, for all of them alike.
 *
 * @param isQuiet whether all came to rest
 * @param seconds how long it took
 */
record Rest(boolean isQuiet, double seconds) {
  private static final long LOOK_MILLIS = 500;

  /** One quiet look may be a pause. */
  private static final int QUIET_LOOKS = 2;

  private static final int MOST_LOOKS = 60;
  private static final int BRIEF_LOOKS = 12;

  /** The share of a core below which all together count as idle, in milliseconds of a look. */
  private static final double QUIET_CPU_MILLIS = 0.12 * LOOK_MILLIS;

  /** What a machine writes in a look that has nothing much to do is less. */
  private static final double QUIET_MEGABYTES = 5;

  /** Enough to find out that everything works: what just ran is over. */
  static Rest brief(List<Entrant> all) throws InterruptedException {
    long began = System.nanoTime();
    boolean quiet = isQuietSoon(all, 1, BRIEF_LOOKS);
    return new Rest(quiet, (System.nanoTime() - began) / 1e9);
  }

  static Rest of(List<Entrant> all) throws InterruptedException {
    long began = System.nanoTime();
    // Who still works would leave again what is tidied up meanwhile.
    boolean first = isQuietSoon(all, QUIET_LOOKS, MOST_LOOKS);
    all.forEach(entrant -> entrant.probe().ifPresent(PostgresProbe::tidy));
    Disk.flush();
    boolean quiet = isQuietSoon(all, QUIET_LOOKS, MOST_LOOKS) && first;
    return new Rest(quiet, (System.nanoTime() - began) / 1e9);
  }

  private static boolean isQuietSoon(List<Entrant> all, int looks, int most)
      throws InterruptedException {
    int quiet = 0;
    for (int look = 0; look < most && quiet < looks; look++) {
      double cpu = cpuMillis(all);
      double written = Disk.writtenMegabytes();
      Thread.sleep(LOOK_MILLIS);
      boolean isQuiet =
          cpuMillis(all) - cpu < QUIET_CPU_MILLIS
              && Disk.writtenMegabytes() - written < QUIET_MEGABYTES;
      quiet = isQuiet ? quiet + 1 : 0;
    }
    return quiet == looks;
  }

  private static double cpuMillis(List<Entrant> all) {
    return all.stream().mapToDouble(Entrant::cpuMillis).sum();
  }
}
