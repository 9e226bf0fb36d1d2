package dev.kagzi.server.json;

import com.google.api.AnnotationsProto;
import com.google.api.HttpRule;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.protobuf.ProtoMethodDescriptorSupplier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * One way to reach a call over HTTP.
 *
 * @param verb the HTTP method
 * @param template the path with {@code {variables}}
 * @param takesBody whether the request is the body, rather than query parameters
 * @param method the call
 */
record Route(
    String verb, String template, boolean takesBody, MethodDescriptor<Message, Message> method) {

  private static final String WHOLE_REQUEST = "*";

  /** The routes that the annotation of a call gives it; empty for streams. */
  static List<Route> of(MethodDescriptor<Message, Message> method) {
    if (method.getType() != MethodDescriptor.MethodType.UNARY) {
      return List.of();
    }
    HttpRule rule = rpc(method).getOptions().getExtension(AnnotationsProto.http);
    return Stream.concat(Stream.of(rule), rule.getAdditionalBindingsList().stream())
        .filter(binding -> binding.getPatternCase() != HttpRule.PatternCase.PATTERN_NOT_SET)
        .map(binding -> of(method, binding))
        .toList();
  }

  private static Route of(MethodDescriptor<Message, Message> method, HttpRule rule) {
    boolean takesBody = rule.getBody().equals(WHOLE_REQUEST);
    return switch (rule.getPatternCase()) {
      case GET -> new Route("GET", rule.getGet(), takesBody, method);
      case PUT -> new Route("PUT", rule.getPut(), takesBody, method);
      case POST -> new Route("POST", rule.getPost(), takesBody, method);
      case DELETE -> new Route("DELETE", rule.getDelete(), takesBody, method);
      case PATCH -> new Route("PATCH", rule.getPatch(), takesBody, method);
      case CUSTOM, PATTERN_NOT_SET ->
          throw new IllegalStateException(method.getFullMethodName() + " has a route of no verb");
    };
  }

  Route {
    Descriptor request = rpc(method).getInputType();
    for (String segment : segments(template)) {
      FieldDescriptor field = isVariable(segment) ? request.findFieldByName(name(segment)) : null;
      boolean known = field != null && field.getType() == FieldDescriptor.Type.STRING;
      if (isVariable(segment) && !known) {
        throw new IllegalStateException(
            "%s: the path %s names no text field of %s"
                .formatted(method.getFullMethodName(), template, request.getName()));
      }
    }
  }

  private static com.google.protobuf.Descriptors.MethodDescriptor rpc(
      MethodDescriptor<?, ?> method) {
    if (method.getSchemaDescriptor() instanceof ProtoMethodDescriptorSupplier known) {
      return known.getMethodDescriptor();
    }
    throw new IllegalStateException(method.getFullMethodName() + " is not described");
  }

  /** The call as its contract describes it. */
  com.google.protobuf.Descriptors.MethodDescriptor rpc() {
    return rpc(method);
  }

  /** An empty request to fill. */
  Message.Builder newRequest() {
    if (method.getRequestMarshaller() instanceof PrototypeMarshaller<Message> marshaller) {
      Message prototype = marshaller.getMessagePrototype();
      if (prototype != null) {
        return prototype.newBuilderForType();
      }
    }
    throw new IllegalStateException(method.getFullMethodName() + " has no prototype");
  }

  /** The fields that the path names. */
  List<String> variables() {
    return segments(template).stream().filter(Route::isVariable).map(Route::name).toList();
  }

  /** How many segments of the path are given: of two routes that match, the one with more wins. */
  int literals() {
    List<String> all = segments(template);
    return all.size() - variables().size();
  }

  /** Whether the path matches; then the values of its variables are put into the map. */
  boolean matches(List<String> path, Map<String, String> values) {
    List<String> expected = segments(template);
    if (expected.size() != path.size()) {
      return false;
    }
    var found = new ArrayList<Map.Entry<String, String>>();
    for (int i = 0; i < path.size(); i++) {
      String segment = expected.get(i);
      if (isVariable(segment)) {
        if (path.get(i).isEmpty()) {
          return false;
        }
        found.add(Map.entry(name(segment), path.get(i)));
      } else if (!segment.equals(path.get(i))) {
        return false;
      }
    }
    found.forEach(one -> values.put(one.getKey(), one.getValue()));
    return true;
  }

  /** The parts between the slashes. */
  static List<String> segments(String path) {
    return List.of(path.substring(1).split("/", -1));
  }

  private static boolean isVariable(String segment) {
    return segment.startsWith("{");
  }

  private static String name(String segment) {
    return segment.substring(1, segment.length() - 1);
  }
}
