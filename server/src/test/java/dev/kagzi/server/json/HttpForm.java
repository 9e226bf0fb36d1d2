package dev.kagzi.server.json;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import io.grpc.MethodDescriptor;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A request of the contract as HTTP says it.
 *
 * @param path with its query
 * @param body null if the method takes none
 */
public record HttpForm(String verb, String path, @Nullable String body) {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  /** The request by every route that its method has. */
  @SuppressWarnings("unchecked") // The messages of the contract are messages of protobuf.
  public static List<HttpForm> all(MethodDescriptor<?, ?> method, Message message) {
    return Route.of((MethodDescriptor<Message, Message>) method).stream()
        .map(route -> of(route, message))
        .toList();
  }

  static HttpForm of(Route route, Message message) {
    Message.Builder rest = message.toBuilder();
    String path = route.template();
    for (String variable : route.variables()) {
      FieldDescriptor field = message.getDescriptorForType().findFieldByName(variable);
      path = path.replace("{" + variable + "}", encode(message.getField(field).toString()));
      rest.clearField(field);
    }
    String body = print(rest);
    if (route.takesBody()) {
      return new HttpForm(route.verb(), path, body);
    }
    var query = new ArrayList<String>();
    flatten("", JSON.readTree(body), query);
    return new HttpForm(
        route.verb(), query.isEmpty() ? path : path + "?" + String.join("&", query), null);
  }

  private static String print(Message.Builder message) {
    try {
      return JsonFormat.printer().print(message);
    } catch (InvalidProtocolBufferException unprintable) {
      throw new IllegalArgumentException(unprintable);
    }
  }

  private static void flatten(String name, JsonNode node, List<String> query) {
    if (node.isObject()) {
      node.propertyStream()
          .forEach(field ->
              flatten(
                  name.isEmpty() ? field.getKey() : name + "." + field.getKey(),
                  field.getValue(),
                  query));
    } else if (node.isArray()) {
      node.forEach(element -> flatten(name, element, query));
    } else {
      query.add(encode(name) + "=" + encode(node.asString()));
    }
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
