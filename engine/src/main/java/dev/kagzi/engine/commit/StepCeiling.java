package dev.kagzi.engine.commit;

import dev.kagzi.engine.domain.RunId;
import dev.kagzi.engine.domain.StepCap;
import dev.kagzi.engine.jdbc.Transaction;
import dev.kagzi.engine.store.StepStore;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;

/**
 * Keeps workers that do not number their steps truthfully from growing a history without limit.
 * Counting a run's rows with every step would make long runs quadratic, a counter on its row would
 * make every step write it, and one in memory would know only what came to this server. So one step
 * in a thousand has the rows of its run counted: that is a small part of a millisecond per thousand
 * steps of a usual run, needs no state that a restart or another server could lose, and lets a run
 * exceed the limit by a thousand steps on average. A run that was found full is counted with each
 * of its steps from then on, as long as it is remembered. Thread-safe.
 */
final class StepCeiling {

  private static final int ONE_IN = 1000;
  private static final int MOST_REMEMBERED = 10_000;

  private final StepCap cap;
  private final BooleanSupplier chance;
  private final StepStore store = new StepStore();
  private final Set<RunId> full =
      Collections.synchronizedSet(Collections.newSetFromMap(new Remembering()));

  StepCeiling(StepCap cap) {
    this(cap, () -> ThreadLocalRandom.current().nextInt(ONE_IN) == 0);
  }

  /** With a chance of its own for a step to have its run counted. */
  StepCeiling(StepCap cap, BooleanSupplier chance) {
    this.cap = cap;
    this.chance = chance;
  }

  StepCap cap() {
    return cap;
  }

  /**
   * The runs whose steps are to be counted before they get one more.
   *
   * @param growing the run of each step that is to be written
   */
  Set<RunId> suspects(Collection<RunId> growing) {
    Set<RunId> suspects = new HashSet<>();
    for (RunId runId : growing) {
      if (full.contains(runId) || chance.getAsBoolean()) {
        suspects.add(runId);
      }
    }
    return suspects;
  }

  /** Which of the suspects have no room for one step more. */
  Set<RunId> findFull(Transaction tx, Set<RunId> suspects) {
    if (suspects.isEmpty()) {
      return Set.of();
    }
    List<RunId> found = store.findLongerThan(tx, suspects, cap.rows());
    full.removeAll(suspects);
    full.addAll(found);
    return Set.copyOf(found);
  }

  /** Forgets the oldest: it will be found again. */
  private static final class Remembering extends LinkedHashMap<RunId, Boolean> {
    private static final long serialVersionUID = 1;

    @Override
    protected boolean removeEldestEntry(Map.Entry<RunId, Boolean> eldest) {
      return size() > MOST_REMEMBERED;
    }
  }
}
