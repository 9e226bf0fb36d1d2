package dev.kagzi.sdk.fake;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.Callable;

/** Waits for something to become true, looking often. */
public final class Waiting {

  private Waiting() {}

  public static void until(Callable<Boolean> condition) {
    await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5)).until(condition);
  }
}
