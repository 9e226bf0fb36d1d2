package dev.kagzi.sdk.internal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;

/** Ids that follow from others, so that nothing has to be recorded to get them again. */
final class DerivedIds {

  private DerivedIds() {}

  /** A UUID of version 8 that is made of a run and a name, and of nothing else. */
  static UUID uuid(String runId, String name) {
    ByteBuffer hash = ByteBuffer.wrap(sha256(runId + "/" + name));
    long high = (hash.getLong() & ~0xF000L) | 0x8000L;
    long low = (hash.getLong() & 0x3FFF_FFFF_FFFF_FFFFL) | 0x8000_0000_0000_0000L;
    return new UUID(high, low);
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
