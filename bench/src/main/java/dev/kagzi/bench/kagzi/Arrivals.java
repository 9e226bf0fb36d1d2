package dev.kagzi.bench.kagzi;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.LoggerFactory;

/**
 * Knows when a run has arrived at this worker: from the line that the SDK logs before it reads the
 * history. Listens only while it is asked to, because the line costs something. Thread-safe.
 */
final class Arrivals extends AppenderBase<ILoggingEvent> {
  private static final String LOGGER = "dev.kagzi.sdk.internal.RunExecutor";
  private static final double NANOS_PER_MILLI = 1e6;

  private final Map<String, Long> arrivedAt = new ConcurrentHashMap<>();

  void listen() {
    var logger = (Logger) LoggerFactory.getLogger(LOGGER);
    setContext(logger.getLoggerContext());
    start();
    logger.setAdditive(false);
    logger.addAppender(this);
    logger.setLevel(Level.DEBUG);
  }

  void stopListening() {
    var logger = (Logger) LoggerFactory.getLogger(LOGGER);
    logger.setLevel(null);
    logger.detachAppender(this);
    logger.setAdditive(true);
    arrivedAt.clear();
  }

  @Override
  protected void append(ILoggingEvent event) {
    var arguments = event.getArgumentArray();
    if (event.getMessage().endsWith("begins a pass") && arguments != null) {
      arrivedAt.put(String.valueOf(arguments[0]), System.nanoTime());
    }
  }

  double millisSince(String runId) {
    var at = arrivedAt.get(runId);
    if (at == null) {
      throw new IllegalStateException("run " + runId + " has not been seen to arrive");
    }
    return (System.nanoTime() - at) / NANOS_PER_MILLI;
  }
}
