package dev.kagzi.server.json;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import dev.kagzi.server.TestServer;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Asks a server over HTTP as a program without gRPC would. */
final class JsonClient implements AutoCloseable {

  private final HttpClient http = HttpClient.newHttpClient();
  private final JsonMapper json = JsonMapper.builder().build();
  private final TestServer server;

  JsonClient(TestServer server) {
    this.server = server;
  }

  /** What came back. */
  record Reply(int status, JsonNode body, HttpResponse<String> response) {

    String error() {
      return body.at("/error/message").asString("");
    }

    String reason() {
      return body.at("/error/details/0/reason").asString("");
    }
  }

  Reply get(String path) {
    return send(request(path).GET());
  }

  Reply post(String path, String body) {
    return send(
        request(path)
            .header("Content-Type", "application/json; charset=utf-8")
            .POST(BodyPublishers.ofString(body)));
  }

  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(
        URI.create("http://localhost:%d%s".formatted(server.server().httpPort(), path)));
  }

  Reply send(HttpRequest.Builder request) {
    try {
      HttpResponse<String> response = http.send(request.build(), BodyHandlers.ofString());
      return new Reply(response.statusCode(), json.readTree(response.body()), response);
    } catch (IOException failure) {
      throw new AssertionError(failure);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new AssertionError(interrupted);
    }
  }

  /** Sends a request of the contract by one of its routes. */
  Reply call(Route route, Message message) throws IOException {
    Message.Builder rest = message.toBuilder();
    String path = route.template();
    for (String variable : route.variables()) {
      FieldDescriptor field = message.getDescriptorForType().findFieldByName(variable);
      path = path.replace("{" + variable + "}", encode(message.getField(field).toString()));
      rest.clearField(field);
    }
    String body = JsonFormat.printer().print(rest);
    if (route.takesBody()) {
      return send(
          request(path)
              .header("Content-Type", "application/json")
              .method(route.verb(), BodyPublishers.ofString(body)));
    }
    var query = new ArrayList<String>();
    flatten("", json.readTree(body), query);
    return send(
        request(query.isEmpty() ? path : path + "?" + String.join("&", query))
            .method(route.verb(), BodyPublishers.noBody()));
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

  @Override
  public void close() {
    http.close();
  }
}
