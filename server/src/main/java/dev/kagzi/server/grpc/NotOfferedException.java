package dev.kagzi.server.grpc;

/**
 * Part of the contract that this server cannot honour yet. Refusing it is better than a caller who
 * believes that it was heeded.
 */
final class NotOfferedException extends RuntimeException {

  NotOfferedException(String what) {
    super(what + " is not offered by this server yet", null, false, false);
  }

  /** Refuses a request that uses what is not offered. */
  static void refuse(boolean used, String what) {
    if (used) {
      throw new NotOfferedException(what);
    }
  }
}
