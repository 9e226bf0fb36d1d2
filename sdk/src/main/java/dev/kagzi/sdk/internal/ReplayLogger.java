package dev.kagzi.sdk.internal;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.AbstractLogger;
import org.slf4j.spi.CallerBoundaryAware;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * A logger that says nothing while a run replays. It asks at every line, so that it may be kept in
 * a variable. Thread-safe.
 */
final class ReplayLogger extends AbstractLogger {

  private static final long serialVersionUID = 1;

  /** The class whose methods user code calls; the caller is the frame below them. */
  private static final String BOUNDARY = AbstractLogger.class.getName();

  private final transient Logger target;
  private final transient BooleanSupplier silent;

  ReplayLogger(Logger target, BooleanSupplier silent) {
    this.target = target;
    this.silent = silent;
    this.name = target.getName();
  }

  private boolean speaks(Level level) {
    return !silent.getAsBoolean() && target.isEnabledForLevel(level);
  }

  @Override
  public boolean isTraceEnabled() {
    return speaks(Level.TRACE);
  }

  @Override
  public boolean isTraceEnabled(Marker marker) {
    return speaks(Level.TRACE);
  }

  @Override
  public boolean isDebugEnabled() {
    return speaks(Level.DEBUG);
  }

  @Override
  public boolean isDebugEnabled(Marker marker) {
    return speaks(Level.DEBUG);
  }

  @Override
  public boolean isInfoEnabled() {
    return speaks(Level.INFO);
  }

  @Override
  public boolean isInfoEnabled(Marker marker) {
    return speaks(Level.INFO);
  }

  @Override
  public boolean isWarnEnabled() {
    return speaks(Level.WARN);
  }

  @Override
  public boolean isWarnEnabled(Marker marker) {
    return speaks(Level.WARN);
  }

  @Override
  public boolean isErrorEnabled() {
    return speaks(Level.ERROR);
  }

  @Override
  public boolean isErrorEnabled(Marker marker) {
    return speaks(Level.ERROR);
  }

  @Override
  protected String getFullyQualifiedCallerName() {
    return BOUNDARY;
  }

  @Override
  protected void handleNormalizedLoggingCall(
      Level level,
      @Nullable Marker marker,
      String message,
      Object @Nullable [] arguments,
      @Nullable Throwable cause) {
    LoggingEventBuilder event = target.makeLoggingEventBuilder(level);
    if (event instanceof CallerBoundaryAware located) {
      located.setCallerBoundary(BOUNDARY);
    }
    if (marker != null) {
      event = event.addMarker(marker);
    }
    if (cause != null) {
      event = event.setCause(cause);
    }
    event.log(message, arguments == null ? new Object[0] : arguments);
  }
}
