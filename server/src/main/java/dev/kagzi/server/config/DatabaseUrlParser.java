package dev.kagzi.server.config;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Takes a database URL apart. By hand, because {@link java.net.URI} knows neither several hosts nor
 * names with underscores. No message repeats a part of the text, which may be half of a password.
 */
final class DatabaseUrlParser {
  private static final String JDBC = "jdbc:postgresql:";
  private static final Pattern LIBPQ = Pattern.compile("postgres(ql)?:(?=//)");
  private static final String ESCAPES = "special characters percent-encoded, an @ as %40";
  private static final Pattern HOST =
      Pattern.compile("(?:[^\\s:/@\\[\\]]+|\\[[0-9a-fA-F:.%]+])(?::(?<port>[^:]*))?");
  private static final int MAX_PORT = 65_535;

  private final boolean jdbc;
  private final Map<String, String> parameters = new LinkedHashMap<>();
  private String authority = "";
  private String database = "";
  private @Nullable String user;
  private @Nullable String password;

  private DatabaseUrlParser(boolean jdbc) {
    this.jdbc = jdbc;
  }

  static DatabaseUrl parse(String text) {
    if (text.startsWith(JDBC)) {
      return new DatabaseUrlParser(true).read(text.substring(JDBC.length()));
    }
    var scheme = LIBPQ.matcher(text);
    if (scheme.lookingAt()) {
      return new DatabaseUrlParser(false).read(text.substring(scheme.end()));
    }
    throw new IllegalArgumentException(DatabaseUrl.EXPECTED);
  }

  private DatabaseUrl read(String text) {
    var question = text.indexOf('?');
    readAddress(question < 0 ? text : text.substring(0, question));
    readParameters(question < 0 ? "" : text.substring(question + 1));
    return new DatabaseUrl(hosts(), database, parameters, user, password);
  }

  /** {@code //user:password@host:port/database}, or only {@code database} in the JDBC form. */
  private void readAddress(String address) {
    if (!address.startsWith("//")) {
      database = decode(address.startsWith("/") ? address.substring(1) : address);
      return;
    }
    var slash = address.indexOf('/', 2);
    database = slash < 0 ? "" : decode(address.substring(slash + 1));
    authority = slash < 0 ? address.substring(2) : address.substring(2, slash);
    var at = authority.lastIndexOf('@');
    if (at >= 0) {
      readCredentials(authority.substring(0, at));
      authority = authority.substring(at + 1);
    }
  }

  private void readCredentials(String credentials) {
    var colon = credentials.indexOf(':');
    var name = colon < 0 ? credentials : credentials.substring(0, colon);
    user = name.isEmpty() ? null : decode(name);
    password = colon < 0 ? null : decode(credentials.substring(colon + 1));
  }

  private void readParameters(String query) {
    for (var parameter : query.split("&", -1)) {
      var equals = parameter.indexOf('=');
      if (equals > 0) {
        take(decode(parameter.substring(0, equals)), decode(parameter.substring(equals + 1)));
      } else if (!parameter.isEmpty()) {
        throw new IllegalArgumentException("parameters as name=value, " + ESCAPES);
      }
    }
  }

  private void take(String name, String value) {
    switch (name) {
      case "user" -> user = value;
      case "password" -> password = value;
      default -> {
        if (jdbc) {
          parameters.put(name, value);
        } else {
          takeLibpq(name, value);
        }
      }
    }
  }

  private void takeLibpq(String name, String value) {
    switch (name) {
      case "dbname" -> database = value;
      case "host" -> authority = value + portOf(authority);
      case "port" -> authority = authority.replaceFirst(":[^:\\]]*$", "") + ":" + value;
      default -> parameters.putAll(LibpqParameters.toDriver(name, value));
    }
  }

  private static String portOf(String authority) {
    var colon = authority.lastIndexOf(':');
    return colon < 0 ? "" : authority.substring(colon);
  }

  private String hosts() {
    if (authority.startsWith("/") || authority.startsWith("%2F") || authority.startsWith("%2f")) {
      throw new IllegalArgumentException("a TCP host; the Java driver has no Unix sockets");
    }
    return Arrays.stream(authority.split(",", -1))
        .map(DatabaseUrlParser::checkedHost)
        .collect(Collectors.joining(","));
  }

  private static String checkedHost(String host) {
    var named = host.isEmpty() || host.startsWith(":") ? "localhost" + host : host;
    var match = HOST.matcher(named);
    if (!match.matches()) {
      throw new IllegalArgumentException(
          "host or host:port, separated by commas, and in user and password " + ESCAPES);
    }
    if (!isPort(match.group("port"))) {
      throw new IllegalArgumentException(
          "a port from 1 to " + MAX_PORT + ", and in user and password " + ESCAPES);
    }
    return named;
  }

  private static boolean isPort(@Nullable String port) {
    return port == null
        || (port.matches("\\d{1,5}")
            && Integer.parseInt(port) >= 1
            && Integer.parseInt(port) <= MAX_PORT);
  }

  /** A plus is a blank in JDBC URLs and a plus in libpq's. */
  private String decode(String text) {
    try {
      return URLDecoder.decode(jdbc ? text : text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException malformed) {
      throw new IllegalArgumentException(ESCAPES + " and a % as %25", malformed);
    }
  }
}
