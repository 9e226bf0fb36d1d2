package dev.kagzi.server.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.toml.TomlMapper;

/**
 * The texts of one TOML file by dotted name, or the reason why it cannot be read. Immutable.
 *
 * @param name the path as it is shown
 */
record ConfigFile(String name, Map<String, String> values, List<Fault> faults) {
  /** No file at all. */
  static final ConfigFile NONE = new ConfigFile("", Map.of(), List.of());

  static ConfigFile read(Path path) {
    try {
      var tree = new TomlMapper().readTree(Files.readString(path));
      var values = new LinkedHashMap<String, String>();
      flatten("", tree, values);
      return new ConfigFile(path.toString(), values, List.of());
    } catch (JacksonException e) {
      return broken(path + place(e), "not TOML: " + firstLine(e.getOriginalMessage()));
    } catch (NoSuchFileException missing) {
      return broken(path.toString(), "does not exist");
    } catch (IOException e) {
      return broken(path.toString(), "cannot be read: " + e.getMessage());
    }
  }

  /** Line and column, where the reader knows them. */
  private static String place(JacksonException broken) {
    var place = broken.getLocation();
    return place == null ? "" : ":%d:%d".formatted(place.getLineNr(), place.getColumnNr());
  }

  private static ConfigFile broken(String place, String problem) {
    return new ConfigFile(place, Map.of(), List.of(new Fault(place, problem)));
  }

  private static String firstLine(String text) {
    return text.lines().findFirst().orElse("");
  }

  private static void flatten(String prefix, JsonNode tree, Map<String, String> values) {
    for (var property : tree.properties()) {
      var name = prefix + property.getKey();
      var node = property.getValue();
      if (node.isObject()) {
        flatten(name + ".", node, values);
      } else {
        values.put(name, node.isValueNode() ? node.asString() : node.toString());
      }
    }
  }
}
