package dev.kagzi.server.json;

/** A request over HTTP that does not say what it asks for; the message tells its sender why. */
final class BadJsonRequestException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** A message may quote what was sent, of which a megabyte would tell nobody more. */
  private static final int MAX_MESSAGE = 2000;

  BadJsonRequestException(String message) {
    super(abridged(message));
  }

  private static String abridged(String message) {
    return message.length() <= MAX_MESSAGE
        ? message
        : "%s... (%d characters)".formatted(message.substring(0, MAX_MESSAGE), message.length());
  }
}
