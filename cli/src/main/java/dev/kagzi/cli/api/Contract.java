package dev.kagzi.cli.api;

import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.kagzi.cli.shell.CommandFailedException;
import dev.kagzi.server.config.Suggestion;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The methods that a server has, from its own description. Not thread-safe. */
final class Contract {
  /** The service that describes the others; calling it is a conversation and no use here. */
  private static final String REFLECTION = "grpc.reflection.";

  private final Reflection reflection;
  private final Map<String, FileDescriptorProto> described = new HashMap<>();
  private final Map<String, FileDescriptor> files = new HashMap<>();

  Contract(Reflection reflection) {
    this.reflection = reflection;
  }

  /** All methods, by service. */
  List<MethodDescriptor> methods() {
    return services().flatMap(service -> methodsOf(service).stream()).toList();
  }

  private Stream<String> services() {
    return reflection.services().stream().filter(name -> !name.startsWith(REFLECTION));
  }

  private List<MethodDescriptor> methodsOf(String service) {
    reflection.filesOf(service).forEach(this::read);
    return List.copyOf(described.keySet()).stream()
        .map(this::file)
        .flatMap(file -> file.getServices().stream())
        .filter(candidate -> candidate.getFullName().equals(service))
        .findFirst()
        .orElseThrow(() ->
            new CommandFailedException("the server has a service it does not describe: " + service))
        .getMethods();
  }

  private void read(ByteString bytes) {
    try {
      var file = FileDescriptorProto.parseFrom(bytes);
      described.put(file.getName(), file);
    } catch (InvalidProtocolBufferException e) {
      throw new CommandFailedException("the server describes itself in a garbled way: " + e);
    }
  }

  private FileDescriptor file(String name) {
    var known = files.get(name);
    if (known != null) {
      return known;
    }
    if (!described.containsKey(name)) {
      reflection.file(name).forEach(this::read);
    }
    var description = described.getOrDefault(name, FileDescriptorProto.getDefaultInstance());
    var needed = description.getDependencyList().stream().map(this::file).toList();
    try {
      var file = FileDescriptor.buildFrom(description, needed.toArray(FileDescriptor[]::new));
      files.put(name, file);
      return file;
    } catch (DescriptorValidationException e) {
      throw new CommandFailedException(
          "the server describes itself in a way that makes no sense: " + e.getMessage());
    }
  }

  /**
   * The method that somebody means by {@code kagzi.v1.WorkflowService/GetWorkflow}, {@code
   * WorkflowService/GetWorkflow} or {@code GetWorkflow}; a dot may stand for the slash.
   */
  MethodDescriptor find(String meant) {
    var methods = methods();
    var found = methods.stream().filter(method -> isMeant(method, meant)).toList();
    if (found.size() > 1) {
      throw CommandFailedException.usage(
          "'%s' is a method of several services: %s".formatted(meant, names(found)));
    }
    return found.stream().findFirst().orElseThrow(() -> unknown(meant, methods));
  }

  private static boolean isMeant(MethodDescriptor method, String meant) {
    return ("." + method.getFullName()).endsWith("." + meant.replace('/', '.'));
  }

  private static CommandFailedException unknown(String meant, List<MethodDescriptor> methods) {
    var names = new ArrayList<String>();
    for (var method : methods) {
      names.add(method.getName());
      names.add(method.getService().getName() + "/" + method.getName());
      names.add(method.getService().getFullName() + "/" + method.getName());
    }
    return CommandFailedException.notFound(
        "the server has no method '%s'%s; kagzi api --list shows all"
            .formatted(
                meant,
                Suggestion.nearest(meant, names)
                    .map(near -> " (did you mean '" + near + "'?)")
                    .orElse("")));
  }

  private static String names(List<MethodDescriptor> methods) {
    return String.join(", ", methods.stream().map(Contract::name).toList());
  }

  /** {@code kagzi.v1.WorkflowService/GetWorkflow}. */
  static String name(MethodDescriptor method) {
    return method.getService().getFullName() + "/" + method.getName();
  }

  /** The files that have been read so far, which is all that a method's messages need. */
  List<FileDescriptor> files() {
    return List.copyOf(files.values());
  }
}
