package dev.kagzi.e2e.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * What a run does, derived from a seed and nothing else: most programs are small, so that many run
 * in little time; the others mix everything a workflow can do.
 */
record Program(List<Op> ops) {
  private static final int DEEPEST = 2;
  private static final int LAST_HOP = 2;
  private static final int BIGGEST = 200_000;
  private static final int SHORTEST_NAP = 20;
  private static final int LONGEST_NAP = 3000;
  private static final int KINDS = 15;

  /** One in sixteen jobs is cancelled by the client at some time. */
  static boolean isStoppable(long seed) {
    return Math.floorMod(seed, 16) == 7;
  }

  /** When the client cancels it, counted from the acknowledged start. */
  static int cancelAfterMillis(long seed) {
    return new Random(seed ^ 0x5eedL).nextInt(1500);
  }

  static Program of(Job job) {
    var random = new Random(job.seed() * 1_000_003L + job.hop());
    random.nextInt();
    var ops = new ArrayList<Op>();
    boolean small = random.nextInt(10) < 6;
    int size = small ? 1 + random.nextInt(2) : 2 + random.nextInt(4);
    for (int place = 0; place < size; place++) {
      String name = "h%d-%d".formatted(job.hop(), place);
      Op op = small ? simple(random, name) : any(random, name, job);
      ops.add(op);
      if (endsTheRun(op, job)) {
        return new Program(List.copyOf(ops));
      }
    }
    String last = "h%d-end".formatted(job.hop());
    if (job.depth() == 0 && job.hop() < LAST_HOP && random.nextInt(12) == 0) {
      ops.add(new Op.Continue(last));
    } else if (random.nextInt(40) == 0) {
      ops.add(new Op.Throw(last));
    }
    return new Program(List.copyOf(ops));
  }

  private static Op simple(Random random, String name) {
    return switch (random.nextInt(8)) {
      case 0 -> new Op.Nap(name, SHORTEST_NAP + random.nextInt(200));
      case 1 -> new Op.Flaky(name, 1 + random.nextInt(2), false);
      case 2 -> new Op.Loop(name, 2 + random.nextInt(2));
      case 3 -> new Op.Work(name, 60 + random.nextInt(200));
      default -> new Op.Work(name, random.nextInt(15));
    };
  }

  private static Op any(Random random, String name, Job job) {
    return switch (random.nextInt(KINDS)) {
      case 0 -> new Op.Nap(name, SHORTEST_NAP + random.nextInt(LONGEST_NAP - SHORTEST_NAP));
      case 1 -> new Op.Flaky(name, 1 + random.nextInt(3), random.nextInt(8) == 0);
      case 2 -> new Op.Doomed(name, 1 + random.nextInt(3), random.nextInt(4) != 0);
      case 3 -> new Op.Once(name, random.nextInt(120));
      case 4 -> new Op.Big(name, 1000 + random.nextInt(BIGGEST - 1000));
      case 5 -> new Op.Loop(name, 2 + random.nextInt(5));
      case 6 -> new Op.All(name, 2 + random.nextInt(4), SHORTEST_NAP + random.nextInt(300));
      case 7 -> new Op.Settle(name, 2 + random.nextInt(3));
      case 8 -> new Op.Race(name);
      case 9 -> new Op.FailFast(name);
      case 10 -> awaited(random, name, job);
      case 11 -> child(random, name, job);
      case 12 -> saga(random, name);
      case 13 -> new Op.Work(name, 60 + random.nextInt(700));
      default -> new Op.Work(name, random.nextInt(30));
    };
  }

  private static Op saga(Random random, String name) {
    return new Op.Undo(
        name,
        1 + random.nextInt(3),
        random.nextInt(120),
        random.nextInt(3) == 0,
        random.nextBoolean());
  }

  /** Children have no client who knows them, and later hops only what came with the start. */
  private static Op awaited(Random random, String name, Job job) {
    boolean early = random.nextBoolean();
    int after = random.nextInt(1500);
    return job.depth() == 0 && job.hop() == 0
        ? new Op.Await(name, early, after)
        : new Op.Work(name, 5);
  }

  private static Op child(Random random, String name, Job job) {
    long seed = random.nextInt(1_000_000_000);
    boolean caught = random.nextInt(4) != 0;
    return job.depth() < DEEPEST ? new Op.Child(name, seed, caught) : new Op.Work(name, 5);
  }

  /** Nothing behind such an operation would ever be executed. */
  private static boolean endsTheRun(Op op, Job job) {
    return switch (op) {
      case Op.Doomed doomed -> !doomed.caught();
      case Op.Undo undo -> undo.fails() && !undo.caught();
      case Op.Child child -> !child.caught() && Model.of(job.child(child.seed())).hasFailed();
      default -> false;
    };
  }

  /** The events that the client has to send. */
  List<Op.Await> events() {
    return ops.stream().filter(Op.Await.class::isInstance).map(Op.Await.class::cast).toList();
  }
}
