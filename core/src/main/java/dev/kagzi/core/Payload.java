package dev.kagzi.core;

import java.util.Arrays;
import java.util.Map;

/**
 * Bytes that Kagzi carries and never looks into, with what their codec noted about them. The array
 * is shared and not copied: nobody may change it.
 */
public final class Payload {

  /** The largest payload the engine accepts. */
  public static final int MAX_BYTES = 2 * 1024 * 1024;

  public static final Payload EMPTY = new Payload(new byte[0], Map.of());

  private final byte[] data;
  private final Map<String, String> metadata;

  public Payload(byte[] data, Map<String, String> metadata) {
    this.data = data;
    this.metadata = Map.copyOf(metadata);
  }

  public byte[] data() {
    return data;
  }

  public Map<String, String> metadata() {
    return metadata;
  }

  public int size() {
    return data.length;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Payload that
        && Arrays.equals(data, that.data)
        && metadata.equals(that.metadata);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(data) + metadata.hashCode();
  }

  /** Says how large it is and never what it holds: payloads do not belong into logs. */
  @Override
  public String toString() {
    return "Payload[" + data.length + " bytes]";
  }
}
