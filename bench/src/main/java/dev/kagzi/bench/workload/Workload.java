package dev.kagzi.bench.workload;

/** Something that is measured. */
@FunctionalInterface
public interface Workload {
  /** Measures all systems of an arena, alternating, and notes the figures. */
  void run(Arena arena) throws InterruptedException;

  /** The workload with this name. */
  static Workload of(WorkloadName name) {
    return switch (name) {
      case W1 -> new Throughput();
      case W2 -> new Latency();
      case W3 -> new LongWorkflow();
      case W4 -> new FanOut();
      case W5 -> new Idle();
      case W6 -> new Crowded();
      case SOAK -> new Soak();
      case OVERLOAD -> new Overload();
    };
  }
}
