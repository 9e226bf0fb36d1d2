package dev.kagzi.server.json;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Turns query parameters into the JSON that a body would be: {@code filter.types=a&filter.types=b}
 * is {@code {"filter":{"types":["a","b"]}}}.
 */
final class QueryReader {

  private static final String WELL_KNOWN = "google.protobuf.";
  private static final String UNSPECIFIED = "UNSPECIFIED";

  private final JsonMapper json;

  QueryReader(JsonMapper json) {
    this.json = json;
  }

  /**
   * Reads parameters of a message.
   *
   * @throws BadJsonRequestException if it has no such field, or one twice
   */
  ObjectNode read(Descriptor type, Map<String, List<String>> query) {
    ObjectNode tree = json.createObjectNode();
    query.forEach((name, values) -> put(type, tree, name, name, values));
    return tree;
  }

  private void put(
      Descriptor type, ObjectNode tree, String whole, String name, List<String> values) {
    int dot = name.indexOf('.');
    FieldDescriptor field = field(type, dot < 0 ? name : name.substring(0, dot));
    if (field == null) {
      throw new BadJsonRequestException(
          "there is no query parameter '%s' (expected: %s)".formatted(whole, names(type)));
    }
    if (field.isMapField()) {
      require(dot > 0, whole, "names no key (expected: %s.key=value)", field.getName());
      ObjectNode entries = tree.withObjectProperty(field.getJsonName());
      entries.put(name.substring(dot + 1), only(whole, values));
    } else if (isNested(field)) {
      require(dot > 0 && !field.isRepeated(), whole, "is no value (expected: its fields)", "");
      ObjectNode inner = tree.withObjectProperty(field.getJsonName());
      put(field.getMessageType(), inner, whole, name.substring(dot + 1), values);
    } else {
      require(dot < 0, whole, "has no fields (expected: %s=value)", field.getName());
      putValue(tree, field, whole, values);
    }
  }

  private static void putValue(
      ObjectNode tree, FieldDescriptor field, String whole, List<String> values) {
    if (field.isRepeated()) {
      var array = tree.withArrayProperty(field.getJsonName());
      values.forEach(value -> array.add(text(field, value)));
    } else {
      tree.put(field.getJsonName(), text(field, only(whole, values)));
    }
  }

  private static String only(String name, List<String> values) {
    require(values.size() == 1, name, "is given %s times (expected: once)", "" + values.size());
    return values.get(0);
  }

  /** Values of enums may be given without what all of them begin with. */
  private static String text(FieldDescriptor field, String value) {
    if (field.getType() != FieldDescriptor.Type.ENUM) {
      return value;
    }
    EnumDescriptor known = field.getEnumType();
    String first = known.getValues().get(0).getName();
    String prefix = first.endsWith(UNSPECIFIED) ? first.replace(UNSPECIFIED, "") : "";
    EnumValueDescriptor named = known.findValueByName(prefix + value.toUpperCase(Locale.ROOT));
    return named == null ? value : named.getName();
  }

  private static void require(boolean fine, String name, String fault, String detail) {
    if (!fine) {
      throw new BadJsonRequestException(
          "query parameter '%s' %s".formatted(name, fault.formatted(detail)));
    }
  }

  /** Whether a field is made of parameters of its own. */
  static boolean isNested(FieldDescriptor field) {
    return field.getType() == FieldDescriptor.Type.MESSAGE
        && !field.getMessageType().getFullName().startsWith(WELL_KNOWN);
  }

  private static @Nullable FieldDescriptor field(Descriptor type, String name) {
    return type.getFields().stream()
        .filter(field -> field.getName().equals(name) || field.getJsonName().equals(name))
        .findFirst()
        .orElse(null);
  }

  private static String names(Descriptor type) {
    return type.getFields().stream()
        .map(FieldDescriptor::getName)
        .collect(Collectors.joining(", "));
  }
}
