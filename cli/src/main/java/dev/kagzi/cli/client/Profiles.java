package dev.kagzi.cli.client;

import dev.kagzi.cli.shell.CommandFailedException;
import dev.kagzi.cli.shell.Session;
import dev.kagzi.server.config.Suggestion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.toml.TomlMapper;

/**
 * The profiles of the person at the keyboard. Immutable.
 *
 * <pre>
 * profile = "local"                      # in force unless --profile or KAGZI_PROFILE names another
 *
 * [profiles.local]
 * address = "localhost:50051"
 *
 * [profiles.production]
 * address = "kagzi.internal:50051"
 * namespace = "orders"
 * </pre>
 *
 * @param file where they are, or would be
 * @param current the profile that the file itself names
 * @param all by name, with their keys
 */
public record Profiles(Path file, Optional<String> current, Map<String, Map<String, String>> all) {
  /** What a profile can say. */
  public static final Set<String> KEYS = Set.of("address", "namespace");

  private static final String CURRENT = "profile";
  private static final String ALL = "profiles";

  public Profiles {
    all = Map.copyOf(all);
  }

  /** Where profiles are kept, whether or not there are any. */
  public static Path file(Session session) {
    return session
        .variable("XDG_CONFIG_HOME")
        .map(Path::of)
        .or(() -> session.variable("HOME").map(home -> Path.of(home, ".config")))
        .orElse(session.folder())
        .resolve("kagzi")
        .resolve("config.toml");
  }

  /** The profiles in the file; none if there is no file. */
  public static Profiles read(Session session) {
    var file = file(session);
    try {
      return read(file, new TomlMapper().readTree(Files.readString(file)));
    } catch (NoSuchFileException missing) {
      return new Profiles(file, Optional.empty(), Map.of());
    } catch (JacksonException e) {
      throw CommandFailedException.usage(
          "%s:%d:%d: not TOML: %s"
              .formatted(
                  file,
                  e.getLocation().getLineNr(),
                  e.getLocation().getColumnNr(),
                  e.getOriginalMessage().lines().findFirst().orElse("")));
    } catch (IOException e) {
      throw CommandFailedException.usage(file + ": cannot be read: " + e.getMessage());
    }
  }

  private static Profiles read(Path file, JsonNode tree) {
    for (var property : tree.properties()) {
      requireKnown(file, property.getKey(), "", Set.of(CURRENT, ALL));
    }
    var all = new LinkedHashMap<String, Map<String, String>>();
    for (var profile : tree.path(ALL).properties()) {
      var values = new LinkedHashMap<String, String>();
      for (var value : profile.getValue().properties()) {
        requireKnown(file, value.getKey(), ALL + "." + profile.getKey() + ".", KEYS);
        values.put(value.getKey(), value.getValue().asString(""));
      }
      all.put(profile.getKey(), values);
    }
    var current = tree.path(CURRENT).asString("");
    return new Profiles(file, Optional.of(current).filter(name -> !name.isEmpty()), all);
  }

  private static void requireKnown(Path file, String key, String prefix, Set<String> known) {
    if (!known.contains(key)) {
      throw CommandFailedException.usage(
          "%s: unknown key '%s%s'%s"
              .formatted(file, prefix, key, suggestion(Suggestion.nearest(key, known))));
    }
  }

  private static String suggestion(Optional<String> near) {
    return near.map(name -> " (did you mean '" + name + "'?)").orElse("");
  }

  /** The profile of a name that somebody gave. */
  Map<String, String> named(Setting name) {
    var profile = all.get(name.value());
    if (profile == null) {
      throw CommandFailedException.usage(
          "profile '%s' from %s is not in %s%s"
              .formatted(
                  name.value(),
                  name.origin(),
                  file,
                  suggestion(Suggestion.nearest(name.value(), all.keySet()))));
    }
    return profile;
  }
}
