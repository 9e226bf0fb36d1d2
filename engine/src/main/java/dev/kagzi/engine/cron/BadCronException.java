package dev.kagzi.engine.cron;

/** A cron expression that cannot be read, with the place of the fault and what is allowed there. */
public final class BadCronException extends RuntimeException {

  private static final long serialVersionUID = 1;

  BadCronException(String message) {
    super(message, null, false, false);
  }
}
