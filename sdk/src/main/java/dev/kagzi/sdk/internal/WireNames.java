package dev.kagzi.sdk.internal;

/** Words that are the same for users and on the wire, where they have a prefix. */
final class WireNames {

  private WireNames() {}

  /** Reads a word; one that a newer server has made up is the unknown one here. */
  static <E extends Enum<E>> E read(Enum<?> wire, String prefix, E unknown) {
    String name = wire.name();
    try {
      return Enum.valueOf(
          unknown.getDeclaringClass(),
          name.startsWith(prefix) ? name.substring(prefix.length()) : name);
    } catch (IllegalArgumentException newer) {
      return unknown;
    }
  }
}
