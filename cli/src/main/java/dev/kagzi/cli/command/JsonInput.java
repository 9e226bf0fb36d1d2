package dev.kagzi.cli.command;

import dev.kagzi.cli.shell.CommandFailedException;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.cli.shell.StandardInput;
import dev.kagzi.v1.Payload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * JSON that is typed, in a file ({@code @file}) or on the standard input ({@code -}). Stateless.
 */
public final class JsonInput {
  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private static final Pattern START_MARKER =
      Pattern.compile(" \\(start marker at .*", Pattern.DOTALL);

  /** So many characters on each side of a fault are shown. */
  private static final int AROUND = 60;

  private JsonInput() {}

  /** The payload that an argument means; {@code null} if there is none. */
  public static Payload payload(Session session, String what, @Nullable String argument) {
    var json = argument == null ? "null" : text(session, what, argument);
    requireJson(what, argument, json);
    return Payload.newBuilder()
        .setJson(json)
        .putMetadata("content-type", "application/json")
        .build();
  }

  /** The JSON that an argument means. */
  public static String json(Session session, String what, String argument) {
    var json = text(session, what, argument);
    requireJson(what, argument, json);
    return json;
  }

  /** Where a property is first met in a JSON, such as {@code line 1, column 2}. */
  public static Optional<String> place(String json, String property) {
    try (var parser = MAPPER.createParser(json)) {
      for (var token = parser.nextToken(); token != null; token = parser.nextToken()) {
        if (token == JsonToken.PROPERTY_NAME && parser.currentName().equals(property)) {
          var location = parser.currentTokenLocation();
          return Optional.of(
              "line %d, column %d".formatted(location.getLineNr(), location.getColumnNr()));
        }
      }
    }
    return Optional.empty();
  }

  /** The text that an argument means, without a look at it. */
  public static String text(Session session, String what, String argument) {
    try {
      if (argument.equals(Ids.STANDARD_INPUT)) {
        return StandardInput.text(session).strip();
      }
      return argument.startsWith("@")
          ? Files.readString(session.folder().resolve(argument.substring(1))).strip()
          : argument;
    } catch (NoSuchFileException e) {
      throw CommandFailedException.usage(
          "%s: there is no file %s".formatted(what, argument.substring(1)));
    } catch (IOException e) {
      throw CommandFailedException.usage(
          "%s: %s cannot be read: %s".formatted(what, argument, e.getMessage()));
    }
  }

  private static void requireJson(String what, @Nullable String argument, String json) {
    try {
      if (MAPPER.readTree(json).isMissingNode()) {
        throw CommandFailedException.usage(what + " is empty (expected: JSON)");
      }
    } catch (JacksonException e) {
      throw CommandFailedException.usage(objection(what, argument, json, e));
    }
  }

  /** The parser also tells where a bracket was opened, in words for those who wrote the parser. */
  private static String reason(JacksonException fault) {
    return START_MARKER
        .matcher(fault.getOriginalMessage())
        .replaceFirst("")
        .lines()
        .findFirst()
        .orElse("");
  }

  private static String objection(
      String what, @Nullable String argument, String json, JacksonException fault) {
    var line = Math.max(1, fault.getLocation().getLineNr());
    var column = Math.max(1, fault.getLocation().getColumnNr());
    var source = json.lines().skip(line - 1L).findFirst().orElse("");
    return """
    %s is not JSON: %s, line %d, column %d: %s
    %s%s\
    """
        .formatted(
            what,
            origin(argument),
            line,
            column,
            reason(fault),
            pointedAt(source, Math.min(column - 1, source.length())),
            json.matches("\\w+") ? "\na text is written with quotes: '\"" + json + "\"'" : "");
  }

  private static String origin(@Nullable String argument) {
    if (argument == null || !argument.startsWith("@")) {
      return Ids.STANDARD_INPUT.equals(argument) ? "standard input" : "typed text";
    }
    return argument.substring(1);
  }

  /** What is around the place, because a line may be the whole of a large document. */
  private static String pointedAt(String source, int at) {
    var from = Math.max(0, at - AROUND);
    var until = Math.min(source.length(), at + AROUND);
    var before = (from > 0 ? "…" : "") + source.substring(from, at);
    var behind = source.substring(at, until) + (until < source.length() ? "…" : "");
    return "  %s%s%n  %s^".formatted(before, behind, " ".repeat(before.length()));
  }
}
