package dev.kagzi.server.config;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Map.Entry;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Where a PostgreSQL is and how to get in, whichever form it was written in. Immutable; its text
 * form never shows a password.
 *
 * @param hosts one or more addresses such as {@code db1:5432}, separated by commas
 * @param database the name of the database, empty if the driver shall take the user's
 * @param parameters what else the URL says, in the driver's words
 */
public record DatabaseUrl(
    String hosts,
    String database,
    Map<String, String> parameters,
    @Nullable String user,
    @Nullable String password) {
  static final String EXPECTED =
      "postgres://user:password@host:5432/database or jdbc:postgresql://host:5432/database";
  private static final String MASK = "***";
  private static final Pattern PASSWORD_BEFORE_HOST =
      Pattern.compile("^((?:\\w+:)*//)?+([^:]*):.*@", Pattern.DOTALL);
  private static final Pattern PASSWORD_PARAMETER =
      Pattern.compile("(password\\s*=).*", Pattern.DOTALL | Pattern.CASE_INSENSITIVE);

  public DatabaseUrl {
    parameters = Collections.unmodifiableMap(new LinkedHashMap<>(parameters));
  }

  /**
   * Reads {@code postgres://}, {@code postgresql://} and {@code jdbc:postgresql:}.
   *
   * @throws IllegalArgumentException whose message says what was expected, without any of the text
   */
  public static DatabaseUrl parse(String text) {
    return DatabaseUrlParser.parse(text);
  }

  /** The text with everything hidden that may be a password; it need not be a valid URL. */
  static String mask(String text) {
    var masked = PASSWORD_BEFORE_HOST.matcher(text).replaceFirst("$1$2:" + MASK + "@");
    return PASSWORD_PARAMETER.matcher(masked).replaceFirst("$1" + MASK);
  }

  /** What the driver takes; user and password go beside it. */
  public String jdbcUrl() {
    return "jdbc:postgresql://"
        + hosts
        + "/"
        + encode(database)
        + query(entry -> encode(entry.getValue()));
  }

  /** This URL with another user or password, where one is given. */
  DatabaseUrl withCredentials(@Nullable String newUser, @Nullable String newPassword) {
    return new DatabaseUrl(
        hosts,
        database,
        parameters,
        newUser == null ? user : newUser,
        newPassword == null ? password : newPassword);
  }

  /** This URL, with the credentials of another one if it has none itself. */
  DatabaseUrl orCredentialsOf(DatabaseUrl other) {
    return user == null && password == null ? withCredentials(other.user, other.password) : this;
  }

  /** The libpq form, passwords masked. */
  @Override
  public String toString() {
    return "postgres://"
        + credentials()
        + hosts
        + "/"
        + encode(database)
        + query(DatabaseUrl::masked);
  }

  private String credentials() {
    if (user == null && password == null) {
      return "";
    }
    return (user == null ? "" : encode(user)) + (password == null ? "" : ":" + MASK) + "@";
  }

  private String query(Function<Entry<String, String>, String> shown) {
    return parameters.isEmpty()
        ? ""
        : parameters.entrySet().stream()
            .map(entry -> encode(entry.getKey()) + "=" + shown.apply(entry))
            .collect(Collectors.joining("&", "?", ""));
  }

  private static String masked(Entry<String, String> parameter) {
    return parameter.getKey().toLowerCase(Locale.ROOT).contains("password")
        ? MASK
        : encode(parameter.getValue());
  }

  /** Blanks as %20, which the driver and libpq read alike. */
  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
