package dev.kagzi.server.fuzz;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** Hears of every exception that is logged or that ends a thread; no request may cause one. */
final class LogWatch extends AppenderBase<ILoggingEvent> implements AutoCloseable {

  private static final int KEPT = 20;

  private final Queue<String> exceptions = new ConcurrentLinkedQueue<>();
  private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);

  private final Thread.@Nullable UncaughtExceptionHandler usual =
      Thread.getDefaultUncaughtExceptionHandler();

  static LogWatch begin() {
    LogWatch watch = new LogWatch();
    Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> watch.note(failure));
    watch.setContext(watch.root.getLoggerContext());
    watch.start();
    watch.root.addAppender(watch);
    return watch;
  }

  @Override
  protected void append(ILoggingEvent event) {
    IThrowableProxy thrown = event.getThrowableProxy();
    boolean incident = event.getFormattedMessage().contains("incident");
    if (event.getLevel().isGreaterOrEqual(Level.WARN) && (thrown != null || incident)) {
      if (exceptions.size() < KEPT) {
        String what = thrown == null ? "" : thrown.getClassName() + ": " + thrown.getMessage();
        exceptions.add(
            "%s: %s %s".formatted(event.getLoggerName(), event.getFormattedMessage(), what));
      }
    }
  }

  private void note(Throwable failure) {
    if (exceptions.size() < KEPT) {
      exceptions.add("a thread ended: %s at %s".formatted(failure, failure.getStackTrace()[0]));
    }
  }

  List<String> exceptions() {
    return List.copyOf(exceptions);
  }

  @Override
  public void close() {
    Thread.setDefaultUncaughtExceptionHandler(usual);
    root.detachAppender(this);
    stop();
  }
}
