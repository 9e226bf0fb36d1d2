package dev.kagzi.server.config;

import java.util.Map;
import java.util.Set;

/**
 * The connection parameters of libpq in the words of the Java driver. One that has no counterpart
 * is refused, because the driver would silently ignore it. Stateless and thread-safe.
 */
final class LibpqParameters {
  private static final Map<String, String> RENAMED =
      Map.ofEntries(
          Map.entry("application_name", "ApplicationName"),
          Map.entry("fallback_application_name", "ApplicationName"),
          Map.entry("channel_binding", "channelBinding"),
          Map.entry("connect_timeout", "connectTimeout"),
          Map.entry("gssencmode", "gssEncMode"),
          Map.entry("krbsrvname", "kerberosServerName"),
          Map.entry("sslnegotiation", "sslNegotiation"),
          Map.entry("keepalives", "tcpKeepAlive"),
          Map.entry("target_session_attrs", "targetServerType"));

  private static final Map<String, String> SERVER_TYPES =
      Map.of(
          "any", "any",
          "read-write", "primary",
          "primary", "primary",
          "read-only", "secondary",
          "standby", "secondary",
          "prefer-standby", "preferSecondary");

  /** Spelled alike on both sides. */
  private static final Set<String> SAME =
      Set.of(
          "options",
          "service",
          "ssl",
          "sslmode",
          "sslcert",
          "sslkey",
          "sslrootcert",
          "sslpassword",
          "sslfactory",
          "sslfactoryarg",
          "sslhostnameverifier");

  private LibpqParameters() {}

  static Map<String, String> toDriver(String name, String value) {
    if (SAME.contains(name) || isDriverName(name)) {
      return Map.of(name, value);
    }
    var renamed = RENAMED.get(name);
    if (renamed == null) {
      throw new IllegalArgumentException(
          "parameters that the Java driver knows; libpq's without a counterpart cannot be used");
    }
    return Map.of(renamed, translated(name, value));
  }

  /** The driver's own names are in camel case, libpq's never. */
  private static boolean isDriverName(String name) {
    return name.chars().anyMatch(Character::isUpperCase);
  }

  private static String translated(String name, String value) {
    return switch (name) {
      case "keepalives" -> value.equals("0") ? "false" : "true";
      case "target_session_attrs" -> serverType(value);
      default -> value;
    };
  }

  private static String serverType(String value) {
    var type = SERVER_TYPES.get(value);
    if (type == null) {
      throw new IllegalArgumentException(
          "target_session_attrs any, read-write, read-only, primary, standby or prefer-standby");
    }
    return type;
  }
}
