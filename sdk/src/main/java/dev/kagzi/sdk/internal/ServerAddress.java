package dev.kagzi.sdk.internal;

import java.util.ArrayList;
import java.util.List;

/**
 * Where servers are: one or several places in the order in which they are tried.
 *
 * @param text the address as it was given
 * @param targets one entry for each server, with a port
 * @param origin who gave the address, for messages
 */
public record ServerAddress(String text, List<String> targets, String origin) {

  private static final int DEFAULT_PORT = 50051;
  private static final String PLAIN = "http://";

  public ServerAddress {
    targets = List.copyOf(targets);
  }

  /**
   * Reads {@code host:port}, {@code a:1,b:2} or whatever an installed channel factory handles; an
   * {@code http://} in front says nothing more.
   */
  public static ServerAddress parse(String text, String origin) {
    var targets = new ArrayList<String>();
    for (String part : text.split(",", -1)) {
      if (part.isBlank()) {
        throw new IllegalArgumentException(
            "address: '%s' (expected something like localhost:50051 or a:50051,b:50051)"
                .formatted(text));
      }
      targets.add(withPort(withoutScheme(part.strip())));
    }
    return new ServerAddress(text, targets, origin);
  }

  private static String withoutScheme(String target) {
    return target.startsWith(PLAIN) ? target.substring(PLAIN.length()) : target;
  }

  private static String withPort(String target) {
    boolean bareHost = target.indexOf(':') < 0 || target.endsWith("]");
    return bareHost ? target + ":" + DEFAULT_PORT : target;
  }
}
