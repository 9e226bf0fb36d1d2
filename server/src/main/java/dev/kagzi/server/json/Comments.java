package dev.kagzi.server.json;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.DescriptorProtos.SourceCodeInfo.Location;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.GenericDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What the contract says in its comments. Generated code has none, so they come from the descriptor
 * that the build keeps beside it. Thread-safe.
 */
final class Comments {

  private static final String RESOURCE = "/dev/kagzi/v1/descriptors.pb";

  private final Map<String, Map<List<Integer>, String>> byFile = new HashMap<>();

  Comments() {
    try (InputStream in = Comments.class.getResourceAsStream(RESOURCE)) {
      if (in == null) {
        throw new IllegalStateException(RESOURCE + " is not on the class path");
      }
      FileDescriptorSet.parseFrom(in).getFileList().forEach(this::add);
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }

  private void add(FileDescriptorProto file) {
    Map<List<Integer>, String> comments = new HashMap<>();
    for (Location location : file.getSourceCodeInfo().getLocationList()) {
      if (!location.getLeadingComments().isBlank()) {
        comments.put(
            List.copyOf(location.getPathList()),
            location.getLeadingComments().strip().replaceAll("\\s*\\n\\s*", " "));
      }
    }
    byFile.put(file.getName(), comments);
  }

  String of(Descriptor message) {
    return at(message, path(message));
  }

  String of(EnumDescriptor values) {
    return at(values, List.of(FileDescriptorProto.ENUM_TYPE_FIELD_NUMBER, values.getIndex()));
  }

  String of(FieldDescriptor field) {
    var path = new ArrayList<>(path(field.getContainingType()));
    path.add(com.google.protobuf.DescriptorProtos.DescriptorProto.FIELD_FIELD_NUMBER);
    path.add(field.getIndex());
    return at(field, path);
  }

  String of(MethodDescriptor method) {
    return at(
        method,
        List.of(
            FileDescriptorProto.SERVICE_FIELD_NUMBER,
            method.getService().getIndex(),
            com.google.protobuf.DescriptorProtos.ServiceDescriptorProto.METHOD_FIELD_NUMBER,
            method.getIndex()));
  }

  private static List<Integer> path(Descriptor message) {
    Descriptor outer = message.getContainingType();
    if (outer == null) {
      return List.of(FileDescriptorProto.MESSAGE_TYPE_FIELD_NUMBER, message.getIndex());
    }
    var path = new ArrayList<>(path(outer));
    path.add(com.google.protobuf.DescriptorProtos.DescriptorProto.NESTED_TYPE_FIELD_NUMBER);
    path.add(message.getIndex());
    return path;
  }

  private String at(GenericDescriptor described, List<Integer> path) {
    return byFile.getOrDefault(described.getFile().getName(), Map.of()).getOrDefault(path, "");
  }
}
