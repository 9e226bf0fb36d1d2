package dev.kagzi.server.json;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Makes a request of a path, query parameters and a body. Thread-safe. */
final class RequestReader {

  private final JsonFormat.Parser parser = JsonFormat.parser();
  private final JsonMapper json = JsonMapper.builder().build();

  /**
   * Reads a request.
   *
   * @throws BadJsonRequestException if it cannot be understood
   */
  Message read(Routes.Match match, Map<String, List<String>> query, String body) {
    Route route = match.route();
    Message.Builder request = route.newRequest();
    if (route.takesBody()) {
      refuse(query.isEmpty(), "query parameters (expected: everything in the body)");
      merge(body.isBlank() ? "{}" : body, request, "the body");
    } else {
      refuse(body.isBlank(), "a body (expected: query parameters)");
      var parameters = new QueryReader(json);
      ObjectNode tree = parameters.read(request.getDescriptorForType(), query);
      merge(json.writeValueAsString(tree), request, "the query");
    }
    match.variables().forEach((name, value) -> put(request, name, value));
    return request.build();
  }

  private static void refuse(boolean fine, String what) {
    if (!fine) {
      throw new BadJsonRequestException("the request has " + what);
    }
  }

  private void merge(String text, Message.Builder request, String origin) {
    try {
      parser.merge(text, request);
    } catch (InvalidProtocolBufferException invalid) {
      throw new BadJsonRequestException(
          "%s is no %s: %s"
              .formatted(
                  origin, request.getDescriptorForType().getFullName(), invalid.getMessage()));
    }
  }

  /** The path names what is meant; a body that says otherwise is a mistake. */
  private static void put(Message.Builder request, String name, String value) {
    FieldDescriptor field = request.getDescriptorForType().findFieldByName(name);
    boolean elsewhere = request.hasField(field) && !request.getField(field).equals("");
    if (elsewhere && !request.getField(field).equals(value)) {
      throw new BadJsonRequestException(
          "%s is '%s' in the path and '%s' besides (expected: in the path only)"
              .formatted(name, value, request.getField(field)));
    }
    request.setField(field, value);
  }
}
