package dev.kagzi.engine;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** For what must not hold up the thread that noticed it. */
final class Background {

  private static final Logger log = LoggerFactory.getLogger(Background.class);

  private Background() {}

  /** Has this done soon; if it fails, whoever notices next asks again. */
  static void run(String what, Runnable work) {
    Thread.ofVirtual()
        .name("kagzi-overdue")
        .start(() -> {
          try {
            work.run();
          } catch (RuntimeException failure) {
            log.warn("{} failed and will be tried again: {}", what, failure.toString());
          }
        });
  }
}
