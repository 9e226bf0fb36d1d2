package dev.kagzi.cli.api;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.TypeRegistry;
import com.google.protobuf.util.JsonFormat;
import dev.kagzi.cli.command.JsonInput;
import dev.kagzi.cli.shell.CommandFailedException;
import dev.kagzi.server.config.Suggestion;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Messages of any type to and from protobuf JSON. Immutable. */
final class JsonMessages {
  private static final Pattern UNKNOWN_FIELD =
      Pattern.compile("Cannot find field: (\\S+) in message (\\S+)");

  private final TypeRegistry types;

  JsonMessages(List<FileDescriptor> files) {
    var registry = TypeRegistry.newBuilder();
    files.forEach(file -> file.getMessageTypes().forEach(registry::add));
    this.types = registry.build();
  }

  /** Reads a message, or says where the text is wrong. */
  DynamicMessage read(Descriptor type, String json) {
    var message = DynamicMessage.newBuilder(type);
    try {
      JsonFormat.parser().usingTypeRegistry(types).merge(json, message);
      return message.build();
    } catch (InvalidProtocolBufferException e) {
      throw CommandFailedException.usage(objection(type, json, String.valueOf(e.getMessage())));
    }
  }

  private static String objection(Descriptor type, String json, String words) {
    var unknown = UNKNOWN_FIELD.matcher(words);
    if (!unknown.find()) {
      return "the request: %s (expected: a %s)".formatted(words, type.getFullName());
    }
    var name = unknown.group(1);
    var near =
        Suggestion.nearest(name, fields(type, unknown.group(2), new HashSet<>()))
            .map(it -> " (did you mean '" + it + "'?)")
            .orElse("");
    return "the request: %sunknown field '%s' of %s%s"
        .formatted(
            JsonInput.place(json, name).map(place -> place + ": ").orElse(""),
            name,
            unknown.group(2),
            near);
  }

  /** The names of the fields of a message type that is this one or below it. */
  private static List<String> fields(Descriptor type, String wanted, Set<String> seen) {
    if (type.getFullName().equals(wanted)) {
      return type.getFields().stream().map(FieldDescriptor::getJsonName).toList();
    }
    var found = new ArrayList<String>();
    if (seen.add(type.getFullName())) {
      type.getFields().stream()
          .filter(field -> field.getJavaType() == FieldDescriptor.JavaType.MESSAGE)
          .forEach(field -> found.addAll(fields(field.getMessageType(), wanted, seen)));
    }
    return found;
  }

  String write(DynamicMessage message) {
    try {
      return JsonFormat.printer().usingTypeRegistry(types).print(message);
    } catch (InvalidProtocolBufferException e) {
      throw new CommandFailedException(
          "the answer holds a type that the server does not describe: " + e.getMessage());
    }
  }
}
