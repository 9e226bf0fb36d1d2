package dev.kagzi.e2e.chaos;

/**
 * What a run of the {@link Interpreter} gets: everything it does follows from it.
 *
 * @param seed of its program
 * @param hop how many runs have been before it in its chain
 * @param depth how many parents it has above it
 * @param stoppable whether the client may cancel it or a run above it
 * @param secret what must never be seen in a log
 */
record Job(long seed, int hop, int depth, boolean stoppable, String secret) {

  /** What no log may contain; in every payload, and the password of the database. */
  static final String CANARY = "S3CR3T-c4n4ry";

  static Job of(long seed) {
    return new Job(seed, 0, 0, Program.isStoppable(seed), CANARY + "-" + seed);
  }

  Job next() {
    return new Job(seed, hop + 1, depth, stoppable, secret);
  }

  Job child(long childSeed) {
    return new Job(childSeed, 0, depth + 1, stoppable, secret);
  }

  /** What a step of this job returns; different for each name. */
  int value(String name) {
    return Math.floorMod(Long.hashCode(seed * 31 + hop) * 31 + name.hashCode(), 1_000_003);
  }

  /** How results are gathered in a number in which their order counts. */
  static long gather(long sum, long value) {
    return sum * 31 + value;
  }

  /** What the run returns when everything is gathered. */
  String output(long sum) {
    return secret + ":" + Long.toHexString(sum);
  }
}
