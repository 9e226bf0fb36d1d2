package dev.kagzi.server.fuzz;

import java.util.Arrays;
import java.util.function.Predicate;

/** Makes the bytes of a finding fewer, for as long as they remain one. */
final class Smallest {

  private static final int TRIES = 300;

  private Smallest() {}

  static byte[] of(byte[] found, Predicate<byte[]> isFinding) {
    byte[] best = found;
    int tries = 0;
    int piece = Math.max(1, best.length / 2);
    while (tries < TRIES) {
      byte[] less = null;
      for (int from = 0; from < best.length && less == null && tries < TRIES; from += piece) {
        byte[] candidate = without(best, from, Math.min(best.length, from + piece));
        tries++;
        if (isFinding.test(candidate)) {
          less = candidate;
        }
      }
      if (less != null) {
        best = less;
        piece = Math.max(1, Math.min(piece, best.length / 2));
      } else if (piece == 1) {
        return best;
      } else {
        piece /= 2;
      }
    }
    return best;
  }

  private static byte[] without(byte[] bytes, int from, int to) {
    byte[] rest = Arrays.copyOf(bytes, bytes.length - (to - from));
    System.arraycopy(bytes, to, rest, from, bytes.length - to);
    return rest;
  }
}
