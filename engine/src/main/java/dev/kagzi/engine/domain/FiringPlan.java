package dev.kagzi.engine.domain;

import dev.kagzi.engine.domain.Tick.SkipReason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Which ticks fire and which are skipped. */
public final class FiringPlan {

  /** Ticks handled in one transaction, besides those that are caught up. */
  public static final int CHUNK = 1000;

  private FiringPlan() {}

  /** How many ticks must be known to decide about the first of them. */
  public static int horizon(int maxCatchup) {
    return CHUNK + maxCatchup;
  }

  /**
   * Decides about the due ticks of a schedule, oldest first. A tick is too old if the tick {@code
   * maxCatchup} places later is due as well; so where not all due ticks are known, because there
   * are more than the horizon, the first ones certainly are.
   *
   * @param due all of them, or as many as the horizon holds
   * @param busy whether a run of the schedule is live
   * @param mostRuns how many may fire now; the plan ends before the first that may not
   */
  public static List<Tick> of(
      List<Instant> due, int maxCatchup, OverlapPolicy overlap, boolean busy, int mostRuns) {
    int tooOld = Math.max(0, due.size() - maxCatchup);
    if (due.size() == horizon(maxCatchup)) {
      return ticks(due.subList(0, CHUNK), SkipReason.CATCHUP);
    }
    List<Tick> plan = ticks(due.subList(0, tooOld), SkipReason.CATCHUP);
    int left = mostRuns;
    for (Tick tick : recent(due.subList(tooOld, due.size()), overlap, busy)) {
      if (tick.fires() && left-- == 0) {
        break;
      }
      plan.add(tick);
    }
    return plan;
  }

  /** Decides about ticks of which none is too old. */
  public static List<Tick> recent(List<Instant> due, OverlapPolicy overlap, boolean busy) {
    return switch (overlap) {
      case ALLOW -> due.stream().map(tick -> new Tick(tick, null)).toList();
      case SKIP -> onlyOne(due, busy ? -1 : 0);
      case CANCEL_OTHER -> onlyOne(due, due.size() - 1);
    };
  }

  private static List<Tick> onlyOne(List<Instant> due, int fires) {
    List<Tick> ticks = ticks(due, SkipReason.OVERLAP);
    if (fires >= 0 && fires < ticks.size()) {
      ticks.set(fires, new Tick(due.get(fires), null));
    }
    return ticks;
  }

  private static List<Tick> ticks(List<Instant> due, SkipReason reason) {
    List<Tick> ticks = new ArrayList<>();
    due.forEach(tick -> ticks.add(new Tick(tick, reason)));
    return ticks;
  }
}
