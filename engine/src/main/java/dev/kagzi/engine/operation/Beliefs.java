package dev.kagzi.engine.operation;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is believed of the database for longer than a beat, because it does not change: until
 * another one answers. A standby that took over, or a backup that was restored, may lack the last
 * of what was there.
 */
public final class Beliefs {

  private static final Logger log = LoggerFactory.getLogger(Beliefs.class);

  private final List<Runnable> forgetting;
  private @Nullable Instant since;

  /** Every holder of such a belief comes with the way to drop it. */
  public Beliefs(Runnable... forgetting) {
    this.forgetting = List.of(forgetting);
  }

  /**
   * Takes in who answers.
   *
   * @param startedAt since when that server has been running: no two have this in common, and it
   *     shows through every pooler and on every host
   */
  public synchronized void answeredBy(Instant startedAt) {
    if (since != null && !since.equals(startedAt)) {
      log.info("another database server answers than before, or it was restarted");
      forgetting.forEach(Runnable::run);
    }
    since = startedAt;
  }
}
