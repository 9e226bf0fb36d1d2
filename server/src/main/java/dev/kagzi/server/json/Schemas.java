package dev.kagzi.server.json;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Describes messages as their JSON looks, and all that they are made of. */
final class Schemas {

  private static final String REFERENCE = "#/components/schemas/";

  private final JsonMapper json;
  private final Comments comments;
  private final Map<String, ObjectNode> described = new TreeMap<>();
  private final Deque<Descriptor> open = new ArrayDeque<>();

  Schemas(JsonMapper json, Comments comments) {
    this.json = json;
    this.comments = comments;
  }

  /** Refers to a message, which is described with the others. */
  ObjectNode reference(Descriptor message) {
    if (!described.containsKey(message.getName())) {
      described.put(message.getName(), json.createObjectNode());
      open.add(message);
    }
    return reference(message.getName());
  }

  private ObjectNode reference(String name) {
    return json.createObjectNode().put("$ref", REFERENCE + name);
  }

  /** All that was referred to, by name. */
  ObjectNode write() {
    while (!open.isEmpty()) {
      describe(open.remove());
    }
    ObjectNode all = json.createObjectNode();
    described.forEach(all::set);
    return all;
  }

  private void describe(Descriptor message) {
    ObjectNode schema = json.createObjectNode();
    schema.put("type", "object");
    comment(schema, comments.of(message));
    ObjectNode properties = schema.putObject("properties");
    for (FieldDescriptor field : message.getFields()) {
      ObjectNode property = of(field);
      comment(property, comments.of(field));
      properties.set(field.getJsonName(), property);
    }
    described.put(message.getName(), schema);
  }

  private static void comment(ObjectNode schema, String comment) {
    if (!comment.isEmpty()) {
      schema.put("description", comment);
    }
  }

  /** The values of a field. */
  ObjectNode of(FieldDescriptor field) {
    if (field.isMapField()) {
      ObjectNode map = json.createObjectNode().put("type", "object");
      map.set("additionalProperties", one(field.getMessageType().findFieldByName("value")));
      return map;
    }
    if (field.isRepeated()) {
      ObjectNode array = json.createObjectNode().put("type", "array");
      array.set("items", one(field));
      return array;
    }
    return one(field);
  }

  private ObjectNode one(FieldDescriptor field) {
    return switch (field.getJavaType()) {
      case INT -> typed("integer", "int32");
      // JSON has no integers of this size that every reader keeps.
      case LONG -> typed("string", "int64");
      case FLOAT, DOUBLE -> typed("number", "double");
      case BOOLEAN -> json.createObjectNode().put("type", "boolean");
      case STRING -> json.createObjectNode().put("type", "string");
      case BYTE_STRING ->
          json.createObjectNode().put("type", "string").put("contentEncoding", "base64");
      case ENUM -> enumeration(field.getEnumType());
      case MESSAGE -> message(field.getMessageType());
    };
  }

  private ObjectNode typed(String type, String format) {
    return json.createObjectNode().put("type", type).put("format", format);
  }

  private ObjectNode enumeration(EnumDescriptor type) {
    if (!described.containsKey(type.getName())) {
      ObjectNode schema = json.createObjectNode().put("type", "string");
      comment(schema, comments.of(type));
      type.getValues().forEach(value -> schema.withArrayProperty("enum").add(value.getName()));
      described.put(type.getName(), schema);
    }
    return reference(type.getName());
  }

  private ObjectNode message(Descriptor type) {
    return switch (type.getFullName()) {
      case "google.protobuf.Timestamp" -> typed("string", "date-time");
      case "google.protobuf.Duration" ->
          json.createObjectNode().put("type", "string").put("pattern", "^-?\\d+(\\.\\d{1,9})?s$");
      case "google.protobuf.FieldMask" -> json.createObjectNode().put("type", "string");
      case "google.protobuf.Struct" -> json.createObjectNode().put("type", "object");
      case "google.protobuf.Value" -> json.createObjectNode();
      default -> reference(type);
    };
  }
}
