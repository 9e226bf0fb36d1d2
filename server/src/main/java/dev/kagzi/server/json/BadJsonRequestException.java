package dev.kagzi.server.json;

/** A request over HTTP that does not say what it asks for; the message tells its sender why. */
final class BadJsonRequestException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  BadJsonRequestException(String message) {
    super(message);
  }
}
